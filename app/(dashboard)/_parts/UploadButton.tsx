'use client'

import { Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMay } from './permissions'
import { useUploads } from './uploads/uploads'

/** Opens the upload dialog; renders nothing for users who may not upload. */
export function UploadButton({ variant }: { variant?: 'default' }) {
  const { openDialog } = useUploads()
  if (!useMay('videos.change')) return null
  return (
    <Button variant={variant} leftSection={<IconUpload size={15} />} onClick={() => openDialog()}>
      Upload video
    </Button>
  )
}
