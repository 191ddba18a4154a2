'use client'

import { FileInput, Modal, Stack, Text } from '@mantine/core'
import { IconMovie } from '@tabler/icons-react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { useForm } from '../../../_ui/form/use-form'
import { problemWith } from '../uploads/drafts'
import { TargetQuality } from '../uploads/EncodingFields'
import { useUploads } from '../uploads/uploads'

interface Values {
  file: File | null
  targetQuality: string
}

/** Chooses the file that replaces the source of a video, and adds it to the uploads in the tray. */
export function ReplaceSourceDialog({ opened, onClose, video }: { opened: boolean; onClose: () => void; video: DashboardVideo }) {
  const { add, maxBytes } = useUploads()
  const form = useForm<Values>({
    initialValues: { file: null, targetQuality: '1080p' },
    validate: { file: (file) => (file ? problemWith(file, maxBytes) : 'Choose a file.') },
  })
  const close = () => {
    form.reset()
    onClose()
  }
  const send = form.onSubmit(({ file, targetQuality }) => {
    if (!file) return
    const { id: replaces, title } = video
    const details = { title, description: '', targetQuality, captions: '', encrypted: String(video.encrypted), replaces }
    add([{ file, details }])
    close()
  })

  return (
    <Modal opened={opened} onClose={close} title="Replace source">
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            The video keeps its ID, title, description and analytics, and the captions and poster that you uploaded. Viewers see the current
            version until the new one is ready.
          </Text>
          <FileInput
            label="File"
            placeholder="Choose a file"
            accept="video/*,.mkv"
            leftSection={<IconMovie size={16} />}
            data-autofocus
            {...form.getInputProps('file')}
          />
          <TargetQuality {...form.getInputProps('targetQuality')} />
          <DialogActions onCancel={close}>Replace source</DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
