'use client'

import { uploadInput } from '#server/upload/schema'
import { QUALITIES } from '#server/video/schema'
import '@mantine/dropzone/styles.css'
import { Button, Checkbox, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Dropzone, type FileRejection } from '@mantine/dropzone'
import { schemaResolver, useForm } from '@mantine/form'
import { IconMovie, IconUpload, IconX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { z } from 'zod'
import { formatBytes } from '../../../_ui/format'
import { Notice } from '../../../_ui/Notice'
import { findBegun } from './engine'
import classes from './UploadDialog.module.css'
import { useUploads } from './uploads'

const CONTAINERS = 'mp4 m4v mov 3gp 3g2 mkv webm avi ts mts m2ts mpg mpeg flv wmv asf ogv mxf'.split(' ')
const DEFAULT_QUALITY = '1080p'

const form = uploadInput.extend({ file: z.file('Choose a video file.') })
type Values = { file: File | null; title: string; description: string; targetQuality: string; encrypted: boolean }

/** Why a file cannot be uploaded; undefined when it can. The server looks at the content and has the last word. */
function problemWith(file: File, maxBytes: number): string | undefined {
  const extension = file.name.split('.').at(-1)?.toLowerCase() ?? ''
  if (!file.type.startsWith('video/') && !CONTAINERS.includes(extension)) {
    return `“${file.name}” is not a video. Choose an MP4, MOV, MKV, WebM or other video file.`
  }
  if (file.size === 0) return `“${file.name}” is empty.`
  if (file.size > maxBytes) return `“${file.name}” has ${formatBytes(file.size)}; at most ${formatBytes(maxBytes)} are accepted.`
}

const titleFrom = (file: File) =>
  file.name
    .replace(/\.[^.]+$/, '')
    .replace(/[_\s]+/g, ' ')
    .trim()
    .slice(0, 200)

/** Chooses a file, names it, and hands it to the uploads tray. */
export function UploadDialog({ opened, file, onClose }: { opened: boolean; file?: File; onClose: () => void }) {
  const { start, accountId, maxBytes } = useUploads()
  const [problem, setProblem] = useState<string>()
  const [begun, setBegun] = useState(false)
  const values = useForm<Values>({
    initialValues: { file: null, title: '', description: '', targetQuality: DEFAULT_QUALITY, encrypted: true },
    validate: schemaResolver(form, { sync: true }),
  })

  const choose = async (chosen: File) => {
    const refused = problemWith(chosen, maxBytes)
    setProblem(refused)
    setBegun(false)
    values.setFieldValue('file', refused ? null : chosen)
    if (refused) return
    if (!values.isTouched('title') || !values.getValues().title.trim()) values.setFieldValue('title', titleFrom(chosen))
    const earlier = await findBegun(chosen, accountId)
    if (!earlier) return
    setBegun(true)
    const { title = '', description = '', targetQuality = DEFAULT_QUALITY, encrypted } = earlier.metadata
    values.setValues({ title, description, targetQuality, encrypted: encrypted !== 'false' })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a file dropped on the page is taken once, when the dialog opens
  useEffect(() => {
    if (file) void choose(file)
  }, [])

  const submit = values.onSubmit(({ file, title, description, targetQuality, encrypted }) => {
    if (!file) return
    start(file, { title: title.trim(), description: description.trim(), targetQuality, encrypted: String(encrypted) })
    onClose()
  })
  const chosen = values.getValues().file
  const refuse = ([rejection]: FileRejection[]) => rejection && void choose(rejection.file)

  return (
    <Modal opened={opened} onClose={onClose} title="Upload video" size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Dropzone
            multiple={false}
            onDrop={([dropped]) => dropped && void choose(dropped)}
            onReject={refuse}
            className={classes.zone}
            data-chosen={chosen ? true : undefined}
            inputProps={{ 'aria-label': 'Video file' }}
            aria-label="Choose a video file"
          >
            <div className={classes.inside}>
              <Dropzone.Accept>
                <IconUpload size={28} stroke={1.5} />
              </Dropzone.Accept>
              <Dropzone.Reject>
                <IconX size={28} stroke={1.5} />
              </Dropzone.Reject>
              <Dropzone.Idle>
                <IconMovie size={28} stroke={1.5} />
              </Dropzone.Idle>
              <div style={{ minWidth: 0 }}>
                <Text fw={500} truncate={chosen ? true : undefined}>
                  {chosen ? chosen.name : 'Drop a video here, or choose a file'}
                </Text>
                <Text size="sm" c="dimmed">
                  {chosen
                    ? `${formatBytes(chosen.size)}. Choose another to replace it.`
                    : `Any common format, up to ${formatBytes(maxBytes)}.`}
                </Text>
              </div>
            </div>
          </Dropzone>
          {(problem || values.errors.file) && <Notice tone="bad">{problem ?? values.errors.file}</Notice>}
          {begun && <Notice tone="info">This file was begun before. The upload continues where it stopped.</Notice>}
          <TextInput label="Title" {...values.getInputProps('title')} />
          <Textarea label="Description" description="Optional" autosize minRows={2} maxRows={6} {...values.getInputProps('description')} />
          <Select
            label="Target quality"
            description="The highest rendition. Never more than the file itself has."
            data={QUALITIES.map((quality) => ({ value: quality, label: quality }))}
            allowDeselect={false}
            checkIconPosition="right"
            {...values.getInputProps('targetQuality')}
          />
          <Checkbox
            label="Encrypt the segments"
            description="AES-128, with a key of this video's own that only a viewing session opens."
            {...values.getInputProps('encrypted', { type: 'checkbox' })}
          />
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" leftSection={<IconUpload size={15} />}>
              Upload
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
