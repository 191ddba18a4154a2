'use client'

import '@mantine/dropzone/styles.css'
import { Stack, Text, Textarea } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconMovie, IconUpload, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { useForm } from '../../../_ui/form/use-form'
import { formatBytes } from '../../../_ui/format'
import { Notice } from '../../../_ui/Notice'
import { DraftList } from './DraftList'
import { type Draft, fileKey, problemWith, titleFrom } from './drafts'
import { EncodingFields } from './EncodingFields'
import { findBegun } from './engine'
import classes from './FilesForm.module.css'
import type { UploadDetails } from './options'
import { type UploadValues, uploadErrors, uploadsOf } from './upload-form'
import { isUnfinished, useUploads } from './uploads'

/** Chooses files, sets their titles, and adds them to the upload queue in the tray. */
export function FilesForm({ onClose }: { onClose: () => void }) {
  const { add, items, accountId, maxBytes } = useUploads()
  const form = useForm<UploadValues>({
    initialValues: { drafts: [], description: '', targetQuality: '1080p', captions: '', encrypted: true },
    validate: uploadErrors,
  })
  const { drafts } = form.values
  const [refused, setRefused] = useState<string[]>([])

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
    form.setFieldValue('drafts', (now) => [...now, ...chosen])
  }

  const submit = form.onSubmit(
    (values) => {
      add(uploadsOf(values))
      onClose()
    },
    ({ drafts }) => drafts && setRefused([]),
  )
  const fresh = drafts.filter(({ begun }) => !begun)

  return (
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
        {form.errors.drafts && <Notice tone="bad">{form.errors.drafts}</Notice>}
        {drafts.length > 0 && <DraftList form={form} />}
        {fresh.length === 1 && drafts.length === 1 && (
          <Textarea label="Description" description="Optional" {...form.getInputProps('description')} />
        )}
        {(fresh.length > 0 || drafts.length === 0) && <EncodingFields form={form} />}
        <DialogActions onCancel={onClose} sticky leftSection={<IconUpload size={15} />}>
          {drafts.length > 1 ? `Upload ${drafts.length} videos` : 'Upload'}
        </DialogActions>
      </Stack>
    </form>
  )
}

/** Returns the initial title; and the details of an unfinished upload of the same file, which are required to resume it. */
async function earlier(file: File, accountId: string): Promise<{ title: string; begun?: UploadDetails }> {
  const found = await findBegun(file, accountId)
  if (!found) return { title: titleFrom(file) }
  const { title = titleFrom(file), description = '', targetQuality = '1080p', captions = '', encrypted = 'true' } = found.metadata
  return { title, begun: { title, description, targetQuality, captions, encrypted } }
}
