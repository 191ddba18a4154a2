/** The life of a delivery: from each status, where it can go. */
export const TRANSITIONS = {
  PENDING: ['DELIVERED', 'DEAD'],
  /** Replayed: PENDING again, with tries of its own. */
  DELIVERED: ['PENDING'],
  DEAD: ['PENDING'],
} as const

export type DeliveryStatus = keyof typeof TRANSITIONS

/** Seconds from each failure to the next try (specification §6.2); after the last one the delivery is dead. */
export const DELAYS_SEC = [1, 5, 25, 125, 625] as const
export const MAX_ATTEMPTS = DELAYS_SEC.length + 1
/** Longest that a receiver's Retry-After may put off a try. */
export const LONGEST_DELAY_SEC = DELAYS_SEC[DELAYS_SEC.length - 1] as number
/** An attempt, from connecting to the response's last byte (specification §6.2). */
export const ATTEMPT_SEC = 10
/** An endpoint that has failed for so long is disabled. */
export const FAILING_DAYS = 3
/** Both secrets sign for so long after a rotation. */
export const OVERLAP_HOURS = 24

/** Why an endpoint is disabled. */
export const DISABLED_WHY = {
  owner: 'Disabled from the dashboard.',
  gone: 'Its receiver answered 410 Gone.',
  failing: `Every delivery to it failed for ${FAILING_DAYS} days.`,
} as const
export type DisabledWhy = keyof typeof DISABLED_WHY

/**
 * Seconds until the next try after `made` of them failed, or undefined when none is left. A receiver that asks for more time
 * (`retryAfterSec`) gets it, up to the longest delay of the schedule.
 */
export function nextDelaySec(made: number, retryAfterSec = 0): number | undefined {
  const usual = DELAYS_SEC[made - 1]
  return usual === undefined ? undefined : Math.max(usual, Math.min(retryAfterSec, LONGEST_DELAY_SEC))
}
