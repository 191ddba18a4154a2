import { isServiceError, ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { isSignedFor } from '../../../platform/config/secrets.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { lifetime, RENEWAL_SEC } from '../../access/keys/validity.ts'
import { BEARER, type ContentAccess, signContent } from '../../audit/content-access.ts'
import { viewerReference } from '../../identity/viewers/reference.ts'
import { playableVideo } from '../tokens/playable.ts'
import { openPolicy, requireAllowed, type SessionPolicy } from '../tokens/policy.ts'
import { isEnded, type SessionOpening, sessionEnded } from './ends.ts'
import { holdPlace } from './viewer-places.ts'

const PURPOSE = 'media-permit'

/**
 * Which of its video's files a permit opens. `session`: everything a player needs, including playlists and renewal. `pictures`: posters and
 * storyboard. `captions`: caption files. The last two are for the owner's pages.
 */
export type MediaPurpose = 'session' | 'pictures' | 'captions'

const signed = (access: ContentAccess, videoId: string, payload: string) =>
  `${payload}-${signContent(access, PURPOSE, `${videoId}.${payload}`)}`

/**
 * Returns the path segment that permits a video's pictures or captions until `expiresAt` (Unix seconds): the purpose, the time in base 36,
 * the signature.
 */
const mintMediaPermit = (access: ContentAccess, videoId: string, purpose: Exclude<MediaPurpose, 'session'>, expiresAt: number): string =>
  signed(access, videoId, `${purpose}-${expiresAt.toString(36)}`)

/** Content of a session's permit. Times in Unix seconds. */
interface SessionPermit {
  expiresAt: number
  /** Until then, it can be exchanged for a new one (`renewSession`), even after it expires. */
  renewableUntil: number
  opening: SessionOpening
}

/** Returns a session's path segment: both times and the number of the last end in base 36, the token's ID, its policy, the signature. */
export function mintSession(videoId: string, { expiresAt, renewableUntil, opening: { number, tokenId, policy } }: SessionPermit): string {
  const numbers = [expiresAt, renewableUntil, number].map((one) => one.toString(36))
  return signed(BEARER, videoId, [...numbers, ...[tokenId, policy].filter((text) => text !== undefined)].join('-'))
}

type Permit = ({ purpose: 'session' } & SessionPermit) | { purpose: 'pictures' | 'captions'; expiresAt: number }

const NUMBER = '([0-9a-z]{1,10})'
const SIDE = new RegExp(`^(pictures|captions)-${NUMBER}$`)
const SESSION = new RegExp(`^${NUMBER}-${NUMBER}-${NUMBER}(?:-(\\w{1,64})(?:-([\\w-]+))?)?$`)

/** Verifies and parses a permit. The signature covers the whole text, so that no part can be removed, added or replaced. */
function readPermit(videoId: string, permit: string): Permit {
  const [, payload = '', signedWith = ''] = /^([\w-]{1,3000})-([\w-]{22})$/.exec(permit) ?? []
  if (!payload || !isSignedFor(PURPOSE, `${videoId}.${payload}`, signedWith)) throw invalid()
  const [, purpose, sideExpiry] = SIDE.exec(payload) ?? []
  if (purpose && sideExpiry) return { purpose: purpose as 'pictures' | 'captions', expiresAt: Number.parseInt(sideExpiry, 36) }
  const [, expiry, renewable, number, tokenId, policy] = SESSION.exec(payload) ?? []
  if (!expiry || !renewable || !number) throw invalid()
  const opening = { number: Number.parseInt(number, 36), tokenId, policy }
  return { purpose: 'session', expiresAt: Number.parseInt(expiry, 36), renewableUntil: Number.parseInt(renewable, 36), opening }
}

const invalid = () =>
  new ServiceError('PLAYBACK_TOKEN_INVALID', {
    message: 'This playlist URL is not valid. Exchange a playback token for a new one.',
  })

function refuseAfter(seconds: number): void {
  if (seconds * 1_000 > serviceNow()) return
  throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', {
    message: 'This playback session has expired. Exchange a new playback token to continue.',
  })
}

/**
 * Verifies a permit for `purpose`, without checking whether its session was ended. Throws PLAYBACK_TOKEN_INVALID for a permit with a wrong
 * signature, of another video or for another purpose, then PLAYBACK_TOKEN_EXPIRED.
 */
export function verifyMediaPermit(videoId: string, permit: string, purpose: MediaPurpose): Permit {
  const read = readPermit(videoId, permit)
  // A player loads pictures and captions under its session's permit.
  if (read.purpose !== purpose && read.purpose !== 'session') throw invalid()
  refuseAfter(read.expiresAt)
  return read
}

/** Throws PLAYBACK_TOKEN_EXPIRED, with `details.reason` PLAYBACK_ENDED, for a session that was ended after it opened. */
export async function refuseEnded(videoId: string, opening: SessionOpening): Promise<void> {
  if (!(await isEnded(videoId, opening))) return
  throw sessionEnded()
}

/**
 * Refuses a request of a session that was ended, that its policy does not allow from here, or whose viewer has no place left for it.
 * Returns the policy, `{}` for none. Errors: PLAYBACK_TOKEN_EXPIRED, PLAYBACK_NOT_ALLOWED.
 */
export async function requireOpen(videoId: string, opening: SessionOpening): Promise<SessionPolicy> {
  const { tokenId, policy: sealed } = opening
  try {
    await refuseEnded(videoId, opening)
    if (!tokenId || !sealed) return {}
    const policy = openPolicy(tokenId, sealed)
    await requireAllowed(policy)
    if (policy.viewer) await holdPlace({ tokenId, number: opening.number, video: await playableVideo(videoId) }, policy)
    return policy
  } catch (error) {
    throw await aboutSession(videoId, opening, error)
  }
}

/** Adds the session and its viewer to the error that refuses it, so that the account finds the refusal in its request log. */
export async function aboutSession(videoId: string, { tokenId, policy }: SessionOpening, error: unknown): Promise<unknown> {
  if (!tokenId || !isServiceError(error)) return error
  const { viewer } = policy ? openPolicy(tokenId, policy) : {}
  const accountId = viewer && (await playableVideo(videoId))?.accountId
  const viewerId = viewer && accountId && (await viewerReference(accountId, viewer.id))
  error.extras.about = { accountId, videoId, tokenId, viewerId }
  return error
}

/** A session whose permit was checked. `expiresAt` in Unix seconds. */
export type OpenSession = SessionOpening & Pick<SessionPermit, 'expiresAt'> & { terms: SessionPolicy }

/** Checks a file's permit. Throws as `verifyMediaPermit` does, then as `requireOpen`. Undefined for permits other than sessions. */
export async function openMediaPermit(videoId: string, permit: string, purpose: MediaPurpose): Promise<OpenSession | undefined> {
  const read = verifyMediaPermit(videoId, permit, purpose)
  if (read.purpose !== 'session') return undefined
  const terms = await requireOpen(videoId, read.opening)
  return { ...read.opening, expiresAt: read.expiresAt, terms }
}

/** A session's master playlist URL, and until when it is valid. */
export interface SessionAddress {
  url: string
  sessionExpiresAt: Date
}

function sessionAddress(videoId: string, permit: SessionPermit): SessionAddress {
  const url = `${env().PLAYLIST_URL}/cdn/hls/${videoId}/${mintSession(videoId, permit)}/master.m3u8`
  return { url, sessionExpiresAt: new Date(permit.expiresAt * 1_000) }
}

const nowSec = () => Math.floor(serviceNow() / 1_000)

/**
 * Returns the master playlist's URL for a new session. `durationSec` in seconds. Without `opening`, the session precedes every end of its
 * video.
 */
export function masterPlaylistUrl(videoId: string, durationSec: number, opening: SessionOpening = { number: 0 }): SessionAddress {
  const expiresAt = nowSec() + lifetime(durationSec)
  return sessionAddress(videoId, { expiresAt, renewableUntil: Math.max(expiresAt, nowSec() + RENEWAL_SEC), opening })
}

/** A session that can be renewed until `renewableUntil`, in Unix seconds. */
export type RenewableSession = Pick<SessionPermit, 'renewableUntil' | 'opening'>

/** Checks a permit for renewal. Throws as `openMediaPermit` does, but accepts an expired session while it can be renewed. */
export async function openRenewable(videoId: string, permit: string): Promise<RenewableSession> {
  const read = readPermit(videoId, permit)
  if (read.purpose !== 'session') throw invalid()
  refuseAfter(Math.max(read.expiresAt, read.renewableUntil))
  await requireOpen(videoId, read.opening)
  return read
}

/**
 * Returns the same session's URL for another lifetime, at most until renewal ends: a viewer can continue in the evening, and a copied URL
 * opens the video for at most a day. The opening stays the same.
 */
export function renewSession(videoId: string, { renewableUntil, opening }: RenewableSession, durationSec: number): SessionAddress {
  return sessionAddress(videoId, { expiresAt: Math.min(nowSec() + lifetime(durationSec), renewableUntil), renewableUntil, opening })
}

/**
 * Returns the URL of a picture or caption file. Its permit stays the same for `hours` and is valid for as long again, so that browsers can
 * cache the file.
 */
export function permittedUrl(access: ContentAccess, videoId: string, file: string, hours: number): string {
  const step = hours * 3_600
  const expiresAt = (Math.floor(serviceNow() / 1_000 / step) + 2) * step
  const purpose = file.startsWith('captions-') ? 'captions' : 'pictures'
  return `${env().PLAYLIST_URL}/cdn/hls/${videoId}/${mintMediaPermit(access, videoId, purpose, expiresAt)}/${file}`
}
