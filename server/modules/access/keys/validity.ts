import { testValue } from '../../../platform/config/config.ts'

/** Lifetime of a playback token in seconds (specification §8). */
export const TOKEN_LIFETIME_SEC = 300

/**
 * Returns the lifetime of a playback session in seconds, with time for pauses and rewatching: six hours, and at least twice the video's
 * duration.
 */
export const lifetime = (durationSec: number): number => Number(testValue('SESSION_SEC') ?? Math.max(6 * 3_600, 2 * durationSec))

/** How many seconds after the token exchange an open embed player can renew its playback session. */
export const RENEWAL_SEC = 24 * 3_600

/**
 * Returns the latest end of a playback session opened with a token valid until `tokensUntil` and renewed as long as possible, for videos of
 * at most `longestSec` seconds.
 */
export function latestSessionEnd(tokensUntil: Date, longestSec: number): Date {
  const lasts = Math.max(lifetime(longestSec), RENEWAL_SEC)
  return new Date(tokensUntil.getTime() + lasts * 1_000)
}
