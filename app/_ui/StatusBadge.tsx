import type { ReactNode } from 'react'
import classes from './StatusBadge.module.css'
import type { Tone } from './theme'

/** A state in a word. Its colour repeats what the word says; `live` pulses while something is under way. */
export function StatusBadge({ tone, live = false, children }: { tone: Tone; live?: boolean; children: ReactNode }) {
  return (
    <span className={classes.badge} data-tone={tone} data-live={live || undefined}>
      <span className={classes.dot} />
      {children}
    </span>
  )
}
