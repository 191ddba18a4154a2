'use client'

import { Tooltip, UnstyledButton } from '@mantine/core'
import classes from './IdChip.module.css'
import { useCopy } from './use-copy'

/** Shows a short form of an id or prefix and copies the full value on click. */
export function IdChip({ id, full = false }: { id: string; full?: boolean }) {
  const [state, copy] = useCopy(id)
  const short = full || id.length <= 16 ? id : `${id.slice(0, 9)}…${id.slice(-4)}`
  return (
    <Tooltip label={state === 'copied' ? 'Copied' : state === 'failed' ? 'Could not copy' : `Copy ${id}`}>
      <UnstyledButton className={`${classes.button} rg-touch`} onClick={copy} aria-label={`Copy ${short}`} data-value={id}>
        <span className={classes.chip} data-copied={state === 'copied' || undefined}>
          {short}
        </span>
      </UnstyledButton>
    </Tooltip>
  )
}
