import { ServiceError } from '../errors.ts'
import { serviceNow } from '../infra/clock.ts'
import { env } from '../infra/env.ts'
import { isSignedFor, signFor } from '../infra/secrets.ts'

const PURPOSE = 'key-url'

/** The address of a video's AES key, good for KEY_URL_TTL_SEC. Minted afresh each time a playlist is served. */
export function keyUrl(videoId: string): string {
  const { CDN_URL, KEY_URL_TTL_SEC } = env()
  const exp = Math.floor(serviceNow() / 1_000) + KEY_URL_TTL_SEC
  return `${CDN_URL}/cdn/keys/${videoId}?exp=${exp}&sig=${signFor(PURPOSE, `${videoId}.${exp}`)}`
}

/** Throws PLAYBACK_TOKEN_INVALID for an address that is none of ours or another video's, then PLAYBACK_TOKEN_EXPIRED. */
export function checkKeyUrl(videoId: string, { exp, sig }: { exp: string | null; sig: string | null }): void {
  const expiry = /^\d{1,12}$/.test(exp ?? '') ? Number(exp) : undefined
  if (expiry === undefined || !sig || !isSignedFor(PURPOSE, `${videoId}.${expiry}`, sig)) {
    throw new ServiceError('PLAYBACK_TOKEN_INVALID', {
      message: 'This key address is not valid. Fetch the playlist again for a fresh one.',
    })
  }
  if (expiry * 1_000 <= serviceNow()) {
    throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', { message: 'This key address has expired. Fetch the playlist again for a fresh one.' })
  }
}
