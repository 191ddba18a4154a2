import { ServiceError } from '../../../errors.ts'
import { env, testValue } from '../../../platform/config/config.ts'
import { isSignedFor } from '../../../platform/config/secrets.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { BEARER, signContent } from '../../audit/content-access.ts'
import type { SessionOpening } from '../sessions/ends.ts'

const PURPOSE = 'key-url'
const payloadOf = (videoId: string, exp: number, session: string, policy?: string | null) =>
  `${videoId}.${exp}.${session}${policy ? `.${policy}` : ''}`

/** Signs a session's end separately from the rest, which processes of the previous version verify without it. */
const SESSION_PURPOSE = 'key-session'
const sessionPayload = (videoId: string, session: string, until: string) => `${videoId}.${session}.${until}`

/** A session to issue a key URL for. `expiresAt`: its end in Unix seconds. Without it, the key URL is valid only for its own lifetime. */
type KeyHolder = SessionOpening & { expiresAt?: number }

const nowSec = () => Math.floor(serviceNow() / 1_000)

/** Returns the seconds within which a key URL must first be used. Its session can then use it until it ends. */
const lifetimeSec = (): number => Number(testValue('KEY_URL_SEC') ?? 300)

/** Returns when a key URL issued now expires, in Unix seconds. */
export const keyExpiry = (): number => nowSec() + lifetimeSec()

/** Returns whether a key URL with this expiry was issued recently: at least half of its lifetime is left. */
export function isFreshExpiry(expiry: number): boolean {
  const left = expiry - nowSec()
  return left >= lifetimeSec() / 2 && left <= lifetimeSec()
}

/**
 * Returns the same as `keyExpiry`, rounded down by at most a minute and a fifth of the lifetime, so that reloads of a playlist get the same
 * URL.
 */
export function steadyKeyExpiry(): number {
  const step = Math.max(1, Math.floor(Math.min(60, lifetimeSec() / 5)))
  return Math.floor(keyExpiry() / step) * step
}

/**
 * Returns the URL of a video's AES key for one session until `expiry` (Unix seconds). It names the session's end: a session that used such
 * a URL in time can use it until then. It names the media whose key it opens, unless that is the video's first.
 */
export function keyAddress(
  videoId: string,
  open: KeyHolder | undefined,
  expiry: number,
  { mediaId }: { mediaId: string } = { mediaId: videoId },
): string {
  const session = [open?.number ?? 0, ...(open?.tokenId ? [open.tokenId] : [])].join('-')
  const sig = signContent(BEARER, PURPOSE, payloadOf(videoId, expiry, session, open?.policy))
  const further = `${mediaId === videoId ? '' : `&media=${mediaId}`}${open?.policy ? `&policy=${open.policy}` : ''}`
  const address = `${env().PLAYLIST_URL}/cdn/keys/${videoId}?exp=${expiry}&session=${session}&sig=${sig}${further}`
  if (!open?.tokenId || open.expiresAt === undefined) return address
  const until = open.expiresAt.toString(36)
  return `${address}&until=${until}-${signContent(BEARER, SESSION_PURPOSE, sessionPayload(videoId, session, until))}`
}

/** Returns the URL of a video's AES key for one session, valid for its own lifetime. */
export const keyUrl = (videoId: string, session?: KeyHolder): string => keyAddress(videoId, session, keyExpiry())

/** Query parameters of a key URL. */
export interface KeyQuery {
  exp: string | null
  session: string | null
  sig: string | null
  /** Absent in a URL from the previous version, and in one without a token. */
  until: string | null
  /** The sealed policy of the session; absent where it has none. */
  policy?: string | null
}

/** Content of a verified key URL. */
export interface OpenedKeyUrl {
  opening: SessionOpening
  /** Whether it is used before it expires. */
  inTime: boolean
  /** Undefined if a session is valid no longer than its URLs. */
  session: { id: string; expiresAt: number } | undefined
}

/**
 * Verifies a key URL and returns the session it was issued for. Throws PLAYBACK_TOKEN_INVALID for a URL with a wrong signature or of
 * another video, then PLAYBACK_TOKEN_EXPIRED for one that can no longer be valid.
 */
export function checkKeyUrl(videoId: string, { exp, session, sig, until, policy }: KeyQuery): OpenedKeyUrl {
  const expiry = /^\d{1,12}$/.test(exp ?? '') ? Number(exp) : undefined
  const [, number, tokenId] = /^(\d{1,15})(?:-(\w{1,64}))?$/.exec(session ?? '') ?? []
  if (
    expiry === undefined ||
    session === null ||
    !number ||
    !sig ||
    !isSignedFor(PURPOSE, payloadOf(videoId, expiry, session, policy), sig)
  )
    throw invalid()
  const expiresAt = until ? readUntil(videoId, session, until) : 0
  const now = serviceNow()
  const inTime = expiry * 1_000 > now
  const lives = tokenId !== undefined && expiresAt * 1_000 > now
  if (!inTime && !lives) throw expired()
  return {
    opening: { number: Number(number), tokenId, policy: policy ?? undefined },
    inTime,
    session: lives ? { id: session, expiresAt } : undefined,
  }
}

function readUntil(videoId: string, session: string, given: string): number {
  const [, until = '', sig = ''] = /^([0-9a-z]{1,10})-([\w-]{22})$/.exec(given) ?? []
  if (!until || !isSignedFor(SESSION_PURPOSE, sessionPayload(videoId, session, until), sig)) throw invalid()
  return Number.parseInt(until, 36)
}

const invalid = () =>
  new ServiceError('PLAYBACK_TOKEN_INVALID', { message: 'This key URL is not valid. Fetch the playlist again for a new one.' })

/** Returns the refusal of a key URL that was not used in time. */
export const expired = () =>
  new ServiceError('PLAYBACK_TOKEN_EXPIRED', { message: 'This key URL has expired. Fetch the playlist again for a new one.' })
