'use client'

import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useCopy } from './use-copy'

/** Copies `value`. `label` names it: "Copy key". */
export function CopyButton({ value, label, ...props }: { value: string; label: string } & ActionIconProps) {
  const [state, copy] = useCopy(value)
  const says = { idle: label, copied: 'Copied', failed: 'Could not copy. Select the text and copy it manually' }[state]
  return (
    <Tooltip label={says}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={copy} {...props}>
        {state === 'copied' ? <IconCheck size={14} color="var(--rg-good-dot)" /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  )
}
