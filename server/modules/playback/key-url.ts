import { ServiceError } from '../../errors.ts'
import { serviceNow } from '../../platform/clock.ts'
import { env } from '../../platform/config.ts'
import { isSignedFor, signFor } from '../../platform/secrets.ts'
import type { SessionOpening } from './ends.ts'

const PURPOSE = 'key-url'
const payloadOf = (videoId: string, exp: number, session: string) => `${videoId}.${exp}.${session}`

/**
 * Returns the URL of a video's AES key for one session, valid for KEY_URL_TTL_SEC. Each response with a playlist gets a new one.
 */
export function keyUrl(videoId: string, { number, tokenId }: SessionOpening = { number: 0 }): string {
  const { PLAYLIST_URL, KEY_URL_TTL_SEC } = env()
  const exp = Math.floor(serviceNow() / 1_000) + KEY_URL_TTL_SEC
  const session = tokenId ? `${number}-${tokenId}` : `${number}`
  return `${PLAYLIST_URL}/cdn/keys/${videoId}?exp=${exp}&session=${session}&sig=${signFor(PURPOSE, payloadOf(videoId, exp, session))}`
}

/** Query parameters of a key URL. */
export interface KeyQuery {
  exp: string | null
  session: string | null
  sig: string | null
}

/**
 * Verifies a key URL and returns the session it was issued for. Throws PLAYBACK_TOKEN_INVALID for a URL with a wrong signature or
 * of another video, then PLAYBACK_TOKEN_EXPIRED.
 */
export function checkKeyUrl(videoId: string, { exp, session, sig }: KeyQuery): SessionOpening {
  const expiry = /^\d{1,12}$/.test(exp ?? '') ? Number(exp) : undefined
  const [, number, tokenId] = /^(\d{1,15})(?:-(\w{1,64}))?$/.exec(session ?? '') ?? []
  if (expiry === undefined || session === null || !number || !sig || !isSignedFor(PURPOSE, payloadOf(videoId, expiry, session), sig)) {
    throw new ServiceError('PLAYBACK_TOKEN_INVALID', {
      message: 'This key URL is not valid. Fetch the playlist again for a new one.',
    })
  }
  if (expiry * 1_000 <= serviceNow()) {
    throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', { message: 'This key URL has expired. Fetch the playlist again for a new one.' })
  }
  return { number: Number(number), tokenId }
}
