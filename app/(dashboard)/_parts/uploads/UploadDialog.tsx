'use client'

import { uploadInput } from '#server/modules/uploads/schema'
import { QUALITIES } from '#server/modules/videos/schema'
import '@mantine/dropzone/styles.css'
import { Button, Checkbox, Group, Modal, Select, Stack, Text, Textarea } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconMovie, IconUpload, IconX } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { formatBytes } from '../../../_ui/format'
import { Notice } from '../../../_ui/Notice'
import { DraftList } from './DraftList'
import { type Draft, fileKey, problemWith, titleFrom } from './drafts'
import { findBegun } from './engine'
import type { UploadDetails } from './options'
import classes from './UploadDialog.module.css'
import { isUnfinished, useUploads } from './uploads'

const NOTHING_CHOSEN = 'Choose a video file.'

/** Chooses files, sets their titles, and adds them to the upload queue in the tray. */
export function UploadDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { add, items, accountId, maxBytes } = useUploads()
  const [drafts, setDrafts] = useState<Draft[]>([])
  const [refused, setRefused] = useState<string[]>([])
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [description, setDescription] = useState('')
  const [targetQuality, setTargetQuality] = useState<string>('1080p')
  const [encrypted, setEncrypted] = useState(true)

  const choose = async (files: File[]) => {
    const known = new Set(drafts.map(({ key }) => key))
    const underWay = new Set(items.filter(isUnfinished).map((item) => item.fileKey))
    const refusals: string[] = []
    const chosen: Draft[] = []
    for (const file of files) {
      const key = fileKey(file)
      const problem = underWay.has(key) ? `“${file.name}” is already uploading.` : problemWith(file, maxBytes)
      if (problem) refusals.push(problem)
      else if (!known.has(key)) chosen.push({ key, file, ...(await earlier(file, accountId)) })
      known.add(key)
    }
    setRefused(refusals)
    setDrafts((now) => [...now, ...chosen])
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found: Record<string, string> = {}
    const ready = drafts.map(({ key, file, title, begun }) => {
      const details = { title: title.trim(), description: drafts.length === 1 ? description.trim() : '', targetQuality }
      const issue = begun ? undefined : uploadInput.safeParse(details).error?.issues[0]
      if (issue) found[issue.path[0] === 'description' ? 'description' : key] = issue.message
      return { file, details: begun ?? { ...details, encrypted: String(encrypted) } }
    })
    setProblems(found)
    if (drafts.length === 0) setRefused([NOTHING_CHOSEN])
    if (drafts.length === 0 || Object.keys(found).length > 0) return
    add(ready)
    onClose()
  }
  const rename = (key: string, title: string) => setDrafts((now) => now.map((draft) => (draft.key === key ? { ...draft, title } : draft)))
  const fresh = drafts.filter(({ begun }) => !begun)

  return (
    <Modal opened={opened} onClose={onClose} title="Upload videos" size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Dropzone
            onDrop={(dropped) => void choose(dropped)}
            onReject={(rejections) => void choose(rejections.map(({ file }) => file))}
            className={classes.zone}
            data-chosen={drafts.length > 0 || undefined}
            inputProps={{ 'aria-label': 'Video files' }}
            aria-label="Choose video files"
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
                <Text fw={500}>{drafts.length > 0 ? 'Add more' : 'Drop videos here, or choose files'}</Text>
                <Text size="sm" c="dimmed">
                  Any common format, up to {formatBytes(maxBytes)} each.
                </Text>
              </div>
            </div>
          </Dropzone>
          {refused.map((message) => (
            <Notice key={message} tone="bad">
              {message}
            </Notice>
          ))}
          {drafts.length > 0 && (
            <DraftList
              drafts={drafts}
              problems={problems}
              onTitle={rename}
              onRemove={(key) => setDrafts((now) => now.filter((draft) => draft.key !== key))}
            />
          )}
          {fresh.length === 1 && drafts.length === 1 && (
            <Textarea
              label="Description"
              description="Optional"
              autosize
              minRows={2}
              maxRows={6}
              value={description}
              error={problems.description}
              onChange={(event) => setDescription(event.currentTarget.value)}
            />
          )}
          {(fresh.length > 0 || drafts.length === 0) && (
            <>
              <Select
                label="Target quality"
                description="The highest rendition to create. Never exceeds the quality of the file."
                data={QUALITIES.map((quality) => ({ value: quality, label: quality }))}
                allowDeselect={false}
                checkIconPosition="right"
                value={targetQuality}
                onChange={(quality) => quality && setTargetQuality(quality)}
              />
              <Checkbox
                label="Encrypt the segments"
                description="AES-128 with a separate key for each video, available only to playback sessions."
                checked={encrypted}
                onChange={(event) => setEncrypted(event.currentTarget.checked)}
              />
            </>
          )}
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" leftSection={<IconUpload size={15} />}>
              {drafts.length > 1 ? `Upload ${drafts.length} videos` : 'Upload'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Returns the initial title; and the details of an unfinished upload of the same file, which are required to resume it. */
async function earlier(file: File, accountId: string): Promise<{ title: string; begun?: UploadDetails }> {
  const found = await findBegun(file, accountId)
  if (!found) return { title: titleFrom(file) }
  const { title = titleFrom(file), description = '', targetQuality = '1080p', encrypted = 'true' } = found.metadata
  return { title, begun: { title, description, targetQuality, encrypted } }
}
