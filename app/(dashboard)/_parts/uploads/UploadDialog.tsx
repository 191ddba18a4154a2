'use client'

import { Modal, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { FilesForm } from './FilesForm'
import { ImportPanel } from './ImportPanel'
import type { UploadMode } from './uploads'

const MODES: { value: UploadMode; label: string }[] = [
  { value: 'files', label: 'Files' },
  { value: 'url', label: 'From a URL' },
]

interface Props {
  /** What is shown first. */
  mode: UploadMode
  opened: boolean
  onClose: () => void
}

/** Adds videos: files of this device, or a file at a URL. */
export function UploadDialog({ mode, opened, onClose }: Props) {
  const [shown, setShown] = useState(mode)
  return (
    <Modal opened={opened} onClose={onClose} title="Upload videos" size="lg">
      <Stack gap="md">
        <SegmentedControl fullWidth aria-label="Source" data={MODES} value={shown} onChange={(value) => setShown(value as UploadMode)} />
        {/* Both stay, so that a look at the other loses nothing. */}
        <div hidden={shown !== 'files'}>
          <FilesForm onClose={onClose} />
        </div>
        <div hidden={shown !== 'url'}>
          <ImportPanel onClose={onClose} />
        </div>
      </Stack>
    </Modal>
  )
}
