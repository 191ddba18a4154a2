'use client'

import { Button, Group } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload, IconKey } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { download } from '../download'
import { useCopy } from '../use-copy'
import { useGuardedDialog } from './SecretDialog'
import classes from './SecretPanel.module.css'

interface Secret {
  value: string
  /** What the secret is, as in "Your new API key". */
  title: string
  /** The sentence that states that the secret is shown once. */
  warning: string
  /** The name of a file to download; without it the secret can be copied alone. */
  fileName?: string
  /** The content of the file; the value alone by default. */
  fileText?: string
  copyLabel: string
  downloadLabel?: string
}

/** Shows a secret once, in a distinct style, with every way to keep it. The dialog around it must be a SecretDialog. */
export function SecretPanel({ value, title, warning, fileName, fileText = `${value}\n`, copyLabel, downloadLabel = 'Download' }: Secret) {
  const [state, copy] = useCopy(value)
  const copyButton = useRef<HTMLButtonElement>(null)
  useGuardedDialog()
  // What had the focus is gone, and Enter again may only copy.
  useEffect(() => copyButton.current?.focus(), [])
  return (
    <section className={classes.panel} aria-label={title}>
      <div className={classes.head}>
        <IconKey size={16} />
        {title}
      </div>
      <code className={classes.value} data-testid="secret">
        {value}
      </code>
      <p className={classes.warning}>{warning}</p>
      <Group gap="xs">
        <Button
          ref={copyButton}
          data-autofocus
          onClick={copy}
          leftSection={state === 'copied' ? <IconCheck size={15} /> : <IconCopy size={15} />}
        >
          {state === 'copied' ? 'Copied' : state === 'failed' ? 'Could not copy. Copy manually' : copyLabel}
        </Button>
        {fileName && (
          <Button variant="default" leftSection={<IconDownload size={15} />} onClick={() => download(fileName, fileText, 'text/plain')}>
            {downloadLabel}
          </Button>
        )}
      </Group>
    </section>
  )
}
