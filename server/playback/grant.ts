import { ServiceError } from '../errors.ts'
import { serviceNow } from '../infra/clock.ts'
import { sameText, sign } from '../infra/crypto.ts'
import { env } from '../infra/env.ts'
import { processWide } from '../infra/process-wide.ts'
import { derivedKey } from '../infra/secrets.ts'

const key = () => processWide('playlist-grant-key', () => derivedKey('playlist-grant'))
const signature = (videoId: string, expiry: string) => sign(key(), `${videoId}.${expiry}`)

/** A path part that opens the playlists of one video until `expiresAt` (Unix seconds): the expiry in base 36, then its signature. */
export function mintGrant(videoId: string, expiresAt: number): string {
  const expiry = expiresAt.toString(36)
  return `${expiry}-${signature(videoId, expiry)}`
}

/** Throws PLAYBACK_TOKEN_INVALID for a grant that is none of ours or another video's, then PLAYBACK_TOKEN_EXPIRED. */
export function checkGrant(videoId: string, grant: string): void {
  const [, expiry, signed] = /^([0-9a-z]{1,10})-([\w-]{22})$/.exec(grant) ?? []
  if (!expiry || !signed || !sameText(signed, signature(videoId, expiry))) {
    throw new ServiceError('PLAYBACK_TOKEN_INVALID', {
      message: 'This playlist address is not valid. Exchange a playback token for a fresh one.',
    })
  }
  if (Number.parseInt(expiry, 36) * 1_000 <= serviceNow()) {
    throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', {
      message: 'This playback session is over. Exchange a fresh playback token to go on.',
    })
  }
}

/**
 * The master playlist's address for a new session, and until when its playlists answer. `durationSec` in seconds. Pauses and
 * second looks are part of watching, so a session lasts twice the film at least.
 */
export function masterPlaylistUrl(videoId: string, durationSec: number): { url: string; sessionExpiresAt: Date } {
  const { CDN_URL, PLAYBACK_SESSION_SEC } = env()
  const expiresAt = Math.floor(serviceNow() / 1_000) + Math.max(PLAYBACK_SESSION_SEC, 2 * durationSec)
  const url = `${CDN_URL}/cdn/hls/${videoId}/${mintGrant(videoId, expiresAt)}/master.m3u8`
  return { url, sessionExpiresAt: new Date(expiresAt * 1_000) }
}

/** A file under a grant that stands still for `hours` and is good for as long again: pages that are loaded anew get the same address. */
export function grantedUrl(videoId: string, file: string, hours: number): string {
  const step = hours * 3_600
  const expiresAt = (Math.floor(serviceNow() / 1_000 / step) + 2) * step
  return `${env().CDN_URL}/cdn/hls/${videoId}/${mintGrant(videoId, expiresAt)}/${file}`
}
