/** The state machine of a delivery: the next states of each status. */
export const TRANSITIONS = {
  PENDING: ['DELIVERED', 'DEAD'],
  /** A replay sets PENDING with the whole schedule of attempts. */
  DELIVERED: ['PENDING'],
  DEAD: ['PENDING'],
} as const

export type DeliveryStatus = keyof typeof TRANSITIONS

/** Seconds from each failure to the next attempt (specification §6.2); after the last one the delivery is dead. */
export const DELAYS_SEC = [1, 5, 25, 125, 625] as const
export const MAX_ATTEMPTS = DELAYS_SEC.length + 1
/** Maximum of seconds by which a receiver's Retry-After delays an attempt. */
export const LONGEST_DELAY_SEC = DELAYS_SEC[DELAYS_SEC.length - 1] as number
/** Time limit of an attempt in seconds, from connecting to the response's last byte (specification §6.2). */
export const ATTEMPT_SEC = 10
/** An endpoint that has failed for these days is disabled. */
export const FAILING_DAYS = 3
/** Both secrets sign for these hours after a rotation. */
export const OVERLAP_HOURS = 24

/** Reasons for which an endpoint is disabled. */
export const DISABLED_REASONS = {
  owner: 'Disabled from the dashboard.',
  gone: 'The receiver responded with 410 Gone.',
  failing: `Every delivery failed for ${FAILING_DAYS} days.`,
} as const
export type DisabledReason = keyof typeof DISABLED_REASONS

/**
 * Returns the seconds until the next attempt after `made` failed ones, or undefined when none is left. A receiver's Retry-After
 * (`retryAfterSec`) extends the delay, up to the longest one of the schedule.
 */
export function nextDelaySec(made: number, retryAfterSec = 0): number | undefined {
  const usual = DELAYS_SEC[made - 1]
  return usual === undefined ? undefined : Math.max(usual, Math.min(retryAfterSec, LONGEST_DELAY_SEC))
}
