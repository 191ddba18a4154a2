'use client'

import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { formatAgo, formatElapsed, formatExact } from './format'

const STEP_MS = 15_000
const tick = (onTick: () => void) => {
  const timer = setInterval(onTick, STEP_MS)
  return () => clearInterval(timer)
}
const step = () => Math.floor(Date.now() / STEP_MS)

const EVENTS = { hover: true, focus: true, touch: true }

/**
 * Shows when something happened, relative to now; the exact time on hover, focus and touch. `elapsed`: as the time since then, such as 31
 * minutes. `within`: inside a link or a button, which has the focus.
 */
export function RelativeTime({ date, elapsed, within }: { date: Date; elapsed?: boolean; within?: boolean }) {
  useSyncExternalStore(tick, step, step)
  return (
    <Tooltip label={formatExact(date)} style={{ whiteSpace: 'pre-line' }} events={EVENTS}>
      {/* The server's "now" is slightly earlier than the browser's. */}
      <time dateTime={date.toISOString()} suppressHydrationWarning tabIndex={within ? undefined : 0}>
        {(elapsed ? formatElapsed : formatAgo)(date, Date.now())}
      </time>
    </Tooltip>
  )
}
