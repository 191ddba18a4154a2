'use client'

import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { formatAgo, formatExact } from './format'

const STEP_MS = 15_000
const tick = (onTick: () => void) => {
  const timer = setInterval(onTick, STEP_MS)
  return () => clearInterval(timer)
}
const step = () => Math.floor(Date.now() / STEP_MS)

const EVENTS = { hover: true, focus: true, touch: true }

/**
 * Shows when something happened, relative to now; the exact time on hover, focus and touch. `within`: inside a link or a button, which has
 * the focus.
 */
export function RelativeTime({ date, within }: { date: Date; within?: boolean }) {
  useSyncExternalStore(tick, step, step)
  return (
    <Tooltip label={formatExact(date)} style={{ whiteSpace: 'pre-line' }} events={EVENTS}>
      {/* The server's "now" is slightly earlier than the browser's. */}
      <time dateTime={date.toISOString()} suppressHydrationWarning tabIndex={within ? undefined : 0}>
        {formatAgo(date, Date.now())}
      </time>
    </Tooltip>
  )
}
