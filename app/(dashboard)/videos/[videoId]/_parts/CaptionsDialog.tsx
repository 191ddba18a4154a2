'use client'

import { Button, FileInput, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { IconFileText } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../../_trpc/client'
import { Conflict } from '../../../../_ui/Conflict'
import { conflictOf } from '../../../../_ui/conflict-of'
import { fieldErrors, schemaErrors } from '../../../../_ui/form-errors'
import { Notice } from '../../../../_ui/Notice'
import { LANGUAGES } from './languages'

type Listed = { name: string; label: string; cues: number } | null
type Field = 'text' | 'language' | 'label'
const inWords = (listed: Listed) => (listed ? `${listed.label}, ${listed.cues} ${listed.cues === 1 ? 'line' : 'lines'}` : 'none')

/** Uploads a caption file with its language. Replaces existing captions in that language. */
export function CaptionsDialog({ opened, onClose, video }: { opened: boolean; onClose: () => void; video: DashboardDetail }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [language, setLanguage] = useState<string | null>('en')
  const [label, setLabel] = useState('')
  // The list when the dialog opened: the user has not seen later live changes.
  const [listed, setListed] = useState(video.captions)
  const [problems, setProblems] = useState<Partial<Record<Field, string>>>({})
  const put = useMutation(
    trpc.video.putCaptions.mutationOptions({
      onSuccess: () => {
        void client.invalidateQueries(trpc.video.pathFilter())
        onClose()
      },
      onError: (error) => setProblems(fieldErrors(error) ?? {}),
    }),
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: emptied when it opens
  useEffect(() => {
    if (!opened) return
    put.reset()
    setFile(null)
    setLabel('')
    setListed(video.captions)
    setProblems({})
  }, [opened])

  const theirs = conflictOf<{ captions: Listed }>(put.error)
  const send = async (expected: Listed) => {
    const { putCaptionsInput } = await import('#server/modules/videos/schema')
    const entered = { language: language ?? undefined, label, text: await file?.text() }
    const checked = putCaptionsInput.pick({ language: true, label: true, text: true }).safeParse(entered)
    setProblems(schemaErrors(checked))
    if (checked.success)
      put.mutate({ ...checked.data, videoId: video.id, expected: expected && { name: expected.name, label: expected.label } })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(listed.find((one) => one.language === language) ?? null)
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Add captions">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {put.isError && !theirs && !fieldErrors(put.error) && <Notice tone="bad">{put.error.message}</Notice>}
          <FileInput
            label="File"
            description="WebVTT (.vtt) or SubRip (.srt), UTF-8"
            placeholder="Choose a file"
            accept=".vtt,.srt,text/vtt,application/x-subrip"
            leftSection={<IconFileText size={16} />}
            value={file}
            onChange={setFile}
            error={problems.text}
            data-autofocus
          />
          <Select
            label="Language"
            data={LANGUAGES}
            searchable
            value={language}
            onChange={setLanguage}
            error={problems.language}
            allowDeselect={false}
            nothingFoundMessage="No results"
          />
          <TextInput
            label="Label in the player menu"
            description="Optional. Defaults to the name of the language."
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            error={problems.label}
          />
          {theirs && (
            <Conflict
              fields={[{ title: 'Captions', mine: file?.name ?? '', theirs: inWords(theirs.captions) }]}
              busy={put.isPending}
              onTakeTheirs={onClose}
              onKeepMine={() => void send(theirs.captions)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={put.isPending}>
              Add captions
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
