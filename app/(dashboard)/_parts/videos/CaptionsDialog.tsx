'use client'

import { Button, FileInput, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { IconFileText } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/Conflict'
import { conflictOf } from '../../../_ui/conflict-of'
import { FormError } from '../../../_ui/FormError'
import { showAtFields } from '../../../_ui/form-errors'
import { lazySchema } from '../../../_ui/lazy-schema'
import { useForm } from '../../../_ui/use-form'
import { LANGUAGES } from './languages'

type Listed = { name: string; label: string; cues: number } | null
interface Values {
  /** The file with the text. */
  text: File | null
  language: string | null
  label: string
}
const entered = async ({ text, language, label }: Values) => ({ language: language ?? '', label, text: (await text?.text()) as string })
const validate = schemaResolver(
  lazySchema(async () =>
    (await import('#server/modules/videos/schema')).putCaptionsInput.pick({ language: true, label: true, text: true }),
  ),
)
const describeCaptions = (listed: Listed) => (listed ? `${listed.label}, ${listed.cues} ${listed.cues === 1 ? 'line' : 'lines'}` : 'none')

/** Uploads a caption file with its language. Replaces existing captions in that language. */
export function CaptionsDialog({ opened, onClose, video }: { opened: boolean; onClose: () => void; video: DashboardDetail }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const form = useForm<Values>({
    initialValues: { text: null, language: 'en', label: '' },
    validate: async (values) => validate(await entered(values)),
  })
  // The list when the dialog opened: the user has not seen later live changes.
  const [listed, setListed] = useState(video.captions)
  const put = useMutation(
    trpc.video.putCaptions.mutationOptions({
      onSuccess: () => {
        void client.invalidateQueries(trpc.video.pathFilter())
        onClose()
      },
      onError: showAtFields(form),
    }),
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: emptied when it opens
  useEffect(() => {
    if (!opened) return
    put.reset()
    form.setValues({ text: null, label: '' })
    form.clearErrors()
    setListed(video.captions)
  }, [opened])

  const theirs = conflictOf<{ captions: Listed }>(put.error)
  const send = (expected: Listed) =>
    form.onSubmit(async (values) =>
      put.mutate({ ...(await entered(values)), videoId: video.id, expected: expected && { name: expected.name, label: expected.label } }),
    )

  return (
    <Modal opened={opened} onClose={onClose} title="Add captions">
      <form onSubmit={send(listed.find(({ language }) => language === form.values.language) ?? null)} noValidate>
        <Stack gap="md">
          <FormError error={theirs ? null : put.error} form={form} />
          <FileInput
            label="File"
            description="WebVTT (.vtt) or SubRip (.srt), UTF-8"
            placeholder="Choose a file"
            accept=".vtt,.srt,text/vtt,application/x-subrip"
            leftSection={<IconFileText size={16} />}
            data-autofocus
            {...form.getInputProps('text')}
          />
          <Select
            label="Language"
            data={LANGUAGES}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No results"
            {...form.getInputProps('language')}
          />
          <TextInput
            label="Label in the player menu"
            description="Optional. Defaults to the name of the language."
            {...form.getInputProps('label')}
          />
          {theirs && (
            <Conflict
              fields={[{ title: 'Captions', mine: form.values.text?.name ?? '', theirs: describeCaptions(theirs.captions) }]}
              busy={form.submitting || put.isPending}
              onTakeTheirs={onClose}
              onKeepMine={send(theirs.captions)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting || put.isPending}>
              Add captions
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
