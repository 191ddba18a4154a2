import { env } from '../../platform/config.ts'

/** Seconds a playback token lives (specification §8). */
export const TOKEN_LIFETIME_SEC = 300

/** Pauses and second looks are part of watching: unless told otherwise, a session lasts six hours, and twice the film at least. */
export const lifetime = (durationSec: number) => env().PLAYBACK_SESSION_SEC ?? Math.max(6 * 3_600, 2 * durationSec)

/**
 * When the last session is over that is opened with tokens valid until `tokensUntil`, renewed for as long as it can be, of films of at
 * most `longestSec` seconds.
 */
export function latestSessionEnd(tokensUntil: Date, longestSec: number): Date {
  const lasts = Math.max(lifetime(longestSec), env().PLAYBACK_RENEWAL_SEC)
  return new Date(tokensUntil.getTime() + lasts * 1_000)
}
