'use client'

import { Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useUploads } from './uploads/uploads'

/** Opens the upload dialog. */
export function UploadButton({ variant }: { variant?: 'default' }) {
  const { openDialog } = useUploads()
  return (
    <Button variant={variant} leftSection={<IconUpload size={15} />} onClick={() => openDialog()}>
      Upload video
    </Button>
  )
}
