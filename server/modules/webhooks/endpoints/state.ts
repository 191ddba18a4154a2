/** The state machine of a delivery: the next states of each status. */
export const TRANSITIONS = {
  PENDING: ['DELIVERED', 'DEAD'],
  /** A replay sets PENDING and restarts the retry schedule. */
  DELIVERED: ['PENDING'],
  DEAD: ['PENDING'],
} as const

export type DeliveryStatus = keyof typeof TRANSITIONS

/** Seconds from each failure to the next attempt (specification §6.2). After the last one, the delivery is dead. */
export const DELAYS_SEC = [1, 5, 25, 125, 625] as const
export const MAX_ATTEMPTS = DELAYS_SEC.length + 1

const [HALF_HOUR, HOUR] = [1_800, 3_600]
/** Later attempts of the longer schedules, which start like the specified one: after 30 minutes, and 1, 2, 4 and 8 hours. */
const LATER_SEC = [HALF_HOUR, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR]

/** The schedules that an endpoint can choose: the delays from each failure to the next attempt, in seconds. */
export const RETRY_SCHEDULES = {
  standard: DELAYS_SEC,
  day: [...DELAYS_SEC, ...LATER_SEC, 8 * HOUR],
  threeDays: [...DELAYS_SEC, ...LATER_SEC, ...Array<number>(7).fill(8 * HOUR)],
} as const satisfies Record<string, readonly number[]>
export type RetrySchedule = keyof typeof RETRY_SCHEDULES
/** The schedule of an endpoint that chooses none: a receiver that is down over a weekend misses nothing. */
export const DEFAULT_SCHEDULE = 'threeDays' satisfies RetrySchedule

/** Returns the attempts of a schedule. */
export const attemptsOf = (schedule: RetrySchedule): number => RETRY_SCHEDULES[schedule].length + 1
/** Time limit of an attempt in seconds, from connecting to the response's last byte (specification §6.2). */
export const ATTEMPT_SEC = 10
/** An endpoint that has been failing for this many days is disabled. */
export const FAILING_DAYS = 3
/** Both secrets sign for this many hours after a rotation. */
export const OVERLAP_HOURS = 24

/** Why an endpoint was disabled. */
export const DISABLED_REASONS = {
  owner: 'Disabled from the dashboard.',
  gone: 'The receiver responded with 410 Gone.',
  failing: `Every delivery failed for ${FAILING_DAYS} days.`,
} as const
export type DisabledReason = keyof typeof DISABLED_REASONS

/**
 * Returns the seconds until the next attempt after `made` failed ones. Undefined if the schedule `delays` has none left. A receiver's
 * Retry-After (`retryAfterSec`) extends the delay, up to the schedule's longest, which is its last.
 */
export function nextDelaySec(delays: readonly number[], made: number, retryAfterSec = 0): number | undefined {
  const usual = delays[made - 1]
  return usual === undefined ? undefined : Math.max(usual, Math.min(retryAfterSec, delays[delays.length - 1] as number))
}
