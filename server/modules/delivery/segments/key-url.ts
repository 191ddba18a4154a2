import { ServiceError } from '../../../errors.ts'
import { env, testValue } from '../../../platform/config/config.ts'
import { isSignedFor } from '../../../platform/config/secrets.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { BEARER, signContent } from '../../audit/content-access.ts'
import type { SessionOpening } from '../sessions/ends.ts'

const PURPOSE = 'key-url'

interface Signed {
  exp: string
  /** The number from which ends of playback count, and the ID of the token. */
  session: string
  /** The session's end in Unix seconds. Empty if the URL is valid only for its own lifetime. */
  until: string
  policy: string
  /** Empty if all streams have one key. */
  stream: string
}

const payloadOf = (videoId: string, { exp, session, until, policy, stream }: Signed) =>
  [videoId, exp, session, until, policy, ...(stream ? [stream] : [])].join('.')

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
 * Returns the URL of an AES key for one session until `expiry` (Unix seconds). It names the session's end: a session that used such a URL in
 * time can use it until then. It names the media, unless that is the video's first, and the stream, if that has a key of its own.
 */
export function keyAddress(
  videoId: string,
  open: KeyHolder | undefined,
  expiry: number,
  { mediaId, stream = '' }: { mediaId: string; stream?: string | undefined } = { mediaId: videoId },
): string {
  const { number = 0, tokenId, expiresAt, policy = '' } = open ?? {}
  const signed = {
    exp: String(expiry),
    session: tokenId ? `${number}-${tokenId}` : String(number),
    until: tokenId && expiresAt !== undefined ? String(expiresAt) : '',
    policy: policy ?? '',
    stream,
  }
  const query = new URLSearchParams({
    exp: signed.exp,
    session: signed.session,
    sig: signContent(BEARER, PURPOSE, payloadOf(videoId, signed)),
  })
  if (signed.until) query.set('until', signed.until)
  if (signed.policy) query.set('policy', signed.policy)
  if (stream) query.set('stream', stream)
  if (mediaId !== videoId) query.set('media', mediaId)
  return `${env().PLAYLIST_URL}/cdn/keys/${videoId}?${query}`
}

/** Returns the URL of the AES key of one of a video's streams for one session, valid for its own lifetime. */
export const keyUrl = (videoId: string, session?: KeyHolder, stream?: string): string =>
  keyAddress(videoId, session, keyExpiry(), { mediaId: videoId, stream })

/** Query parameters of a key URL. */
export interface KeyQuery {
  exp: string | null
  session: string | null
  sig: string | null
  /** Absent where the URL is valid only for its own lifetime. */
  until: string | null
  /** The sealed policy of the session; absent where it has none. */
  policy?: string | null
  /** Name of the stream; absent where all have one key. */
  stream?: string | null
}

/** Returns the parameters of a key URL that `checkKeyUrl` verifies. */
export const keyQuery = (query: URLSearchParams): KeyQuery => ({
  exp: query.get('exp'),
  session: query.get('session'),
  sig: query.get('sig'),
  until: query.get('until'),
  policy: query.get('policy'),
  stream: query.get('stream'),
})

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
export function checkKeyUrl(videoId: string, { exp, session, sig, until, policy, stream }: KeyQuery): OpenedKeyUrl {
  const signed = { exp: exp ?? '', session: session ?? '', until: until ?? '', policy: policy ?? '', stream: stream ?? '' }
  const [, number, tokenId] = /^(\d{1,15})(?:-(\w{1,64}))?$/.exec(signed.session) ?? []
  const isTimed = /^\d{1,12}$/.test(signed.exp) && /^\d{0,12}$/.test(signed.until)
  // A dot would let one part pass for two.
  const isWhole = [signed.policy, signed.stream].every((part) => /^[\w-]*$/.test(part))
  if (!isTimed || !isWhole || !number || !sig || !isSignedFor(PURPOSE, payloadOf(videoId, signed), sig)) throw invalidKeyUrl()
  const now = serviceNow()
  const expiresAt = Number(signed.until)
  const inTime = Number(signed.exp) * 1_000 > now
  const lives = expiresAt * 1_000 > now
  if (!inTime && !lives) throw expired()
  return {
    opening: { number: Number(number), tokenId, policy: policy ?? undefined },
    inTime,
    session: lives ? { id: signed.session, expiresAt } : undefined,
  }
}

/** Returns the refusal of a key URL that this service did not issue, or that does not fit the media. */
export const invalidKeyUrl = () =>
  new ServiceError('PLAYBACK_TOKEN_INVALID', { message: 'This key URL is not valid. Fetch the playlist again for a new one.' })

/** Returns the refusal of a key URL that was not used in time. */
export const expired = () =>
  new ServiceError('PLAYBACK_TOKEN_EXPIRED', { message: 'This key URL has expired. Fetch the playlist again for a new one.' })
