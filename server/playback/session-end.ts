import { env } from '../infra/env.ts'
import { lifetime } from './grant.ts'

/**
 * When the last session is over that is opened with tokens valid until `tokensUntil`, renewed for as long as it can be, of films of at
 * most `longestSec` seconds.
 */
export function latestSessionEnd(tokensUntil: Date, longestSec: number): Date {
  const lasts = Math.max(lifetime(longestSec), env().PLAYBACK_RENEWAL_SEC)
  return new Date(tokensUntil.getTime() + lasts * 1_000)
}
