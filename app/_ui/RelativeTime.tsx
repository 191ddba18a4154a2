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

/** When something happened, seen from now; the exact time on hover and focus. */
export function RelativeTime({ date }: { date: Date }) {
  useSyncExternalStore(tick, step, step)
  return (
    <Tooltip label={formatExact(date)} style={{ whiteSpace: 'pre-line' }}>
      {/* The server's "now" is a moment earlier than the browser's. */}
      <time dateTime={date.toISOString()} suppressHydrationWarning>
        {formatAgo(date, Date.now())}
      </time>
    </Tooltip>
  )
}
