'use client'

import { useSyncExternalStore } from 'react'
import { formatWait } from '../../_ui/format'

const tick = (onTick: () => void) => {
  const timer = setInterval(onTick, 1_000)
  return () => clearInterval(timer)
}
const step = () => Math.floor(Date.now() / 1_000)

/** Shows the time until something is due, and counts down. */
export function Countdown({ at }: { at: Date }) {
  useSyncExternalStore(tick, step, step)
  const seconds = (at.getTime() - Date.now()) / 1_000
  return (
    <time dateTime={at.toISOString()} suppressHydrationWarning>
      {seconds < 1 ? 'now' : `in ${formatWait(seconds)}`}
    </time>
  )
}
