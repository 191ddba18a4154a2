import type { ReactNode } from 'react'
import classes from './StatusBadge.module.css'
import type { Tone } from './theme'

/** Shows a state in a word. Its colour repeats the word; `live` pulses while work is in progress. */
export function StatusBadge({ tone, live = false, children }: { tone: Tone; live?: boolean; children: ReactNode }) {
  return (
    <span className={classes.badge} data-tone={tone} data-live={live || undefined}>
      <span className={classes.dot} />
      {children}
    </span>
  )
}
