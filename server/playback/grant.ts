import { ServiceError } from '../errors.ts'
import { serviceNow } from '../infra/clock.ts'
import { env } from '../infra/env.ts'
import { isSignedFor, signFor } from '../infra/secrets.ts'

const PURPOSE = 'playlist-grant'

/**
 * A path part that opens the playlists of one video until `expiresAt`: that in base 36, then its signature. One with `renewableUntil`
 * between them can be exchanged for a fresh one until then (`renewGrant`), after it expired too. Both in Unix seconds.
 */
export function mintGrant(videoId: string, expiresAt: number, renewableUntil?: number): string {
  const said = [expiresAt, ...(renewableUntil === undefined ? [] : [renewableUntil])].map((time) => time.toString(36)).join('-')
  return `${said}-${signFor(PURPOSE, `${videoId}.${said}`)}`
}

interface Grant {
  /** Unix seconds. */
  expiresAt: number
  renewableUntil: number | undefined
}

function readGrant(videoId: string, grant: string): Grant {
  const [, said, expiry, renewable, signed] = /^(([0-9a-z]{1,10})(?:-([0-9a-z]{1,10}))?)-([\w-]{22})$/.exec(grant) ?? []
  if (!said || !expiry || !signed || !isSignedFor(PURPOSE, `${videoId}.${said}`, signed)) {
    throw new ServiceError('PLAYBACK_TOKEN_INVALID', {
      message: 'This playlist address is not valid. Exchange a playback token for a fresh one.',
    })
  }
  return { expiresAt: Number.parseInt(expiry, 36), renewableUntil: renewable === undefined ? undefined : Number.parseInt(renewable, 36) }
}

function refuseAfter(seconds: number): void {
  if (seconds * 1_000 > serviceNow()) return
  throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', {
    message: 'This playback session is over. Exchange a fresh playback token to go on.',
  })
}

/** Throws PLAYBACK_TOKEN_INVALID for a grant that is none of ours or another video's, then PLAYBACK_TOKEN_EXPIRED. */
export function checkGrant(videoId: string, grant: string): void {
  refuseAfter(readGrant(videoId, grant).expiresAt)
}

/** Throws as `checkGrant` does, but takes a grant that can be renewed for as long as it can. */
export function checkRenewableGrant(videoId: string, grant: string): void {
  const { expiresAt, renewableUntil } = readGrant(videoId, grant)
  refuseAfter(Math.max(expiresAt, renewableUntil ?? 0))
}

/** Where a session's master playlist is, and until when its playlists answer. */
export interface SessionAddress {
  url: string
  sessionExpiresAt: Date
}

function sessionAddress(videoId: string, expiresAt: number, renewableUntil: number): SessionAddress {
  const url = `${env().CDN_URL}/cdn/hls/${videoId}/${mintGrant(videoId, expiresAt, renewableUntil)}/master.m3u8`
  return { url, sessionExpiresAt: new Date(expiresAt * 1_000) }
}

/** Pauses and second looks are part of watching: unless told otherwise, a session lasts six hours, and twice the film at least. */
export const lifetime = (durationSec: number) => env().PLAYBACK_SESSION_SEC ?? Math.max(6 * 3_600, 2 * durationSec)
const nowSec = () => Math.floor(serviceNow() / 1_000)

/** The master playlist's address for a new session. `durationSec` in seconds. */
export function masterPlaylistUrl(videoId: string, durationSec: number): SessionAddress {
  const expiresAt = nowSec() + lifetime(durationSec)
  return sessionAddress(videoId, expiresAt, Math.max(expiresAt, nowSec() + env().PLAYBACK_RENEWAL_SEC))
}

/**
 * The same session's address for another lifetime, which ends where renewing does (docs/decisions/0022). Undefined for a grant that
 * is not a session's. Errors: as `checkRenewableGrant`.
 */
export function renewSession(videoId: string, grant: string, durationSec: number): SessionAddress | undefined {
  checkRenewableGrant(videoId, grant)
  const { renewableUntil } = readGrant(videoId, grant)
  if (renewableUntil === undefined) return undefined
  return sessionAddress(videoId, Math.min(nowSec() + lifetime(durationSec), renewableUntil), renewableUntil)
}

/** A file under a grant that stands still for `hours` and is good for as long again: pages that are loaded anew get the same address. */
export function grantedUrl(videoId: string, file: string, hours: number): string {
  const step = hours * 3_600
  const expiresAt = (Math.floor(serviceNow() / 1_000 / step) + 2) * step
  return `${env().CDN_URL}/cdn/hls/${videoId}/${mintGrant(videoId, expiresAt)}/${file}`
}
