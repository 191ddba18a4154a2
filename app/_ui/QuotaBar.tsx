'use client'

import { formatClock, formatCount } from './format'
import classes from './QuotaBar.module.css'
import { useTimeZone } from './time-zone'

/** From this share on a quota is nearly used up; equal to the share from which the overview warns. */
const NEAR = 0.8

interface Props {
  used: number
  limit: number
  /** Its owner, for screen readers. */
  of: string
  /** When it is used up at today's pace; null when it lasts the day. */
  exhaustedAt: Date | null
}

/** Shows how much of a daily quota is used, in figures and as a bar that fills, and when it is used up at today's pace. */
export function QuotaBar({ used, limit, of, exhaustedAt }: Props) {
  const [zone] = useTimeZone()
  const share = limit > 0 ? Math.min(1, used / limit) : 1
  const tone = share >= 1 ? 'bad' : share >= NEAR || exhaustedAt ? 'warn' : 'good'
  const pace = exhaustedAt && share < 1 ? `Runs out at ${formatClock(exhaustedAt, zone)} at this pace` : undefined
  return (
    <div className={classes.quota} data-tone={tone}>
      <span className={classes.figures}>
        {formatCount(used)} <span className={classes.of}>of {formatCount(limit)}</span>
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> looks different in every browser, whatever its style */}
      <span
        className={classes.track}
        role="meter"
        aria-label={`Quota used of ${of}`}
        aria-valuenow={Math.min(used, limit)}
        aria-valuemin={0}
        aria-valuemax={limit}
      >
        <span className={classes.bar} style={{ width: `${share * 100}%` }} />
      </span>
      {pace && <span className={classes.pace}>{pace}</span>}
    </div>
  )
}
