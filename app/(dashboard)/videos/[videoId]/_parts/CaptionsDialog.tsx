'use client'

import { Button, FileInput, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { IconFileText } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'
import { LANGUAGES } from './languages'

/** A caption file and the language it is in. Captions there already in that language are replaced. */
export function CaptionsDialog({ opened, onClose, videoId }: { opened: boolean; onClose: () => void; videoId: string }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [language, setLanguage] = useState<string | null>('en')
  const [label, setLabel] = useState('')
  const [asked, setAsked] = useState(false)
  const put = useMutation(
    trpc.video.putCaptions.mutationOptions({
      onSuccess: () => {
        void client.invalidateQueries(trpc.video.pathFilter())
        onClose()
      },
    }),
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: emptied when it opens
  useEffect(() => {
    if (!opened) return
    put.reset()
    setFile(null)
    setLabel('')
    setAsked(false)
  }, [opened])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (file && language) put.mutate({ videoId, language, label, text: await file.text() })
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Add captions">
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack gap="md">
          {put.isError && <Notice tone="bad">{put.error.message}</Notice>}
          <FileInput
            label="File"
            description="WebVTT (.vtt) or SubRip (.srt), UTF-8"
            placeholder="Choose a file"
            accept=".vtt,.srt,text/vtt,application/x-subrip"
            leftSection={<IconFileText size={16} />}
            value={file}
            onChange={setFile}
            error={asked && !file ? 'Choose a file.' : undefined}
            data-autofocus
          />
          <Select
            label="Language"
            data={LANGUAGES}
            searchable
            value={language}
            onChange={setLanguage}
            error={asked && !language ? 'Choose a language.' : undefined}
            nothingFoundMessage="No such language"
          />
          <TextInput
            label="Name in the player's menu"
            description="Optional; the language's own name if empty"
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            maxLength={60}
          />
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
