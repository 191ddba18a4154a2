'use client'

import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { download } from './download'

interface Props {
  load: () => Promise<{ name: string; content: string }>
  /** What the file is, in lower case: for the message of a failure. */
  what: string
  /** Distinguishes this button from others for screen readers. */
  about?: string | undefined
  disabled?: boolean | undefined
  children: string
}

/** Loads a JSON file and saves it. A failure is shown as a notification. */
export function DownloadButton({ load, what, about, disabled, children }: Props) {
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const { name, content } = await load()
      download(name, content, 'application/json')
    } catch (error) {
      notifications.show({ color: 'red', title: `Could not download the ${what}`, message: (error as Error).message })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconDownload size={14} />}
      loading={busy}
      disabled={disabled}
      aria-label={about ? `Download ${what} for ${about}` : undefined}
      onClick={() => void save()}
    >
      {children}
    </Button>
  )
}
