'use client'

import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { formatAgo, formatElapsed, formatExact, formatTime } from './format'
import classes from './RelativeTime.module.css'
import { useTimeZone } from './time-zone'

const STEP_MS = 15_000
const tick = (onTick: () => void) => {
  const timer = setInterval(onTick, STEP_MS)
  return () => clearInterval(timer)
}
const step = () => Math.floor(Date.now() / STEP_MS)

const EVENTS = { hover: true, focus: true, touch: true }

interface Props {
  date: Date
  /** As the time since then, such as 31 minutes. */
  elapsed?: boolean
  /** Inside a link or a button, which has the focus. */
  within?: boolean
  /** With the time of day before it, to the second, as in logs. */
  exact?: boolean
}

/** Shows when something happened, relative to now; the exact time on hover, focus and touch. */
export function RelativeTime({ date, elapsed, within, exact }: Props) {
  useSyncExternalStore(tick, step, step)
  const [zone] = useTimeZone()
  return (
    <Tooltip label={formatExact(date)} style={{ whiteSpace: 'pre-line' }} events={EVENTS}>
      <time
        className={exact ? classes.exact : undefined}
        dateTime={date.toISOString()}
        suppressHydrationWarning
        tabIndex={within ? undefined : 0}
      >
        {exact && <span suppressHydrationWarning>{formatTime(date, zone)}</span>}
        {/* The server's "now" is slightly earlier than the browser's. */}
        {exact ? (
          <span className={classes.ago} suppressHydrationWarning>
            {formatAgo(date, Date.now())}
          </span>
        ) : (
          (elapsed ? formatElapsed : formatAgo)(date, Date.now())
        )}
      </time>
    </Tooltip>
  )
}
