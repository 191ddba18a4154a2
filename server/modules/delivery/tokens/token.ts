import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { derivedKeys } from '../../../platform/config/secrets.ts'
import { services } from '../../../platform/container.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { newId, randomBase62, sameText, sha256 } from '../../../platform/secrets/crypto.ts'
import { TOKEN_LIFETIME_SEC } from '../../access/keys/validity.ts'
import type { ContentAccess } from '../../audit/content-access.ts'

const ISSUER = 'reelgate'
const AUDIENCE = 'playback'
/** The shortest lifetime that a token request may ask for, in seconds. */
export const MIN_LIFETIME_SEC = 30

/** Claims of a token. */
export interface TokenFacts {
  videoId: string
  jti: string
  /** Unix seconds. */
  iat: number
  /** Seconds; TOKEN_LIFETIME_SEC if absent. */
  lifetimeSec?: number | undefined
  /** Sealed (`sealPolicy`); absent from a token that restricts nothing. */
  policy?: string | undefined
  /** The sealed label of a visible watermark (`sealLabel`). */
  watermark?: string | undefined
}

interface Secrets {
  signing: { header: string; key: KeyObject }
  /** By the token header that names them: one each, or two if keys derive from two root secrets. */
  byHeader: Map<string, KeyObject[]>
}

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

declare module '../../../platform/container.ts' {
  interface Services {
    playbackTokenSecrets: Secrets
  }
}

const secrets = () => services().playbackTokenSecrets

export function makePlaybackTokenSecrets(): Secrets {
  const listed = env().PLAYBACK_TOKEN_SECRETS?.map(({ kid, secret }) => ({ kid, bytes: Buffer.from(secret) }))
  const all = (listed ?? derivedKeys('playback-token').map((bytes) => ({ kid: 'default', bytes }))).map(({ kid, bytes }) => {
    return { header: base64url({ alg: 'HS256', kid, typ: 'JWT' }), key: createSecretKey(bytes) }
  })
  const [signing] = all
  if (!signing) throw new Error('PLAYBACK_TOKEN_SECRETS is empty')
  const byHeader = Map.groupBy(all, ({ header }) => header)
  return { signing, byHeader: new Map([...byHeader].map(([header, same]) => [header, same.map(({ key }) => key)])) }
}

const mac = (key: KeyObject, signed: string) => createHmac('sha256', key).update(signed).digest('base64url')

/**
 * Returns `pt_` + compact JWT, HS256, bound to one video for 300 seconds or less (specification §2.2). Equal claims give an equal token.
 */
export function signToken(_access: ContentAccess, facts: TokenFacts): string {
  const { header, key } = secrets().signing
  const signed = `${header}.${payloadOf(facts)}`
  return `pt_${signed}.${mac(key, signed)}`
}

const payloadOf = ({ videoId, jti, iat, lifetimeSec = TOKEN_LIFETIME_SEC, policy, watermark }: TokenFacts) =>
  base64url({
    ...{ videoId, jti, iss: ISSUER, aud: AUDIENCE, iat, exp: iat + lifetimeSec },
    ...(policy && { policy }),
    ...(watermark && { watermark }),
  })

/** The longest policy and the longest label fit (policy.test.ts). Proxies accept lines of 8 KB. */
const SHAPE = /^pt_([\w-]{2,300})\.([\w-]{2,5200})\.([\w-]{43})$/

/** Seconds that this process's copy of the database clock may be late. */
const CLOCK_LEEWAY_SEC = 5

/**
 * Verifies a token. Errors, in this order: PLAYBACK_TOKEN_INVALID (shape, signature, claims), PLAYBACK_TOKEN_EXPIRED. Parses nothing before
 * the signature is verified. The header must equal one that `signToken` writes, which excludes algorithm and key confusion; the signature
 * is compared as text, so that it has one encoding. Not jose: it computes on the thread pool, which cut the rate of exchanges to 0.6.
 */
export function verifyToken(token: string): TokenFacts & { exp: number } {
  const [, header = '', payload = '', signature = ''] = SHAPE.exec(token) ?? []
  const keys = secrets().byHeader.get(header)
  if (!keys?.some((key) => sameText(mac(key, `${header}.${payload}`), signature))) throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  const now = serviceNow()
  const facts = factsOf(payload, now)
  if (facts.exp * 1000 <= now) throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', { about: { videoId: facts.videoId, tokenId: facts.jti } })
  return facts
}

/**
 * Returns the claims if they equal the text that `signToken` writes, with an `iat` that is not in the future. So even with a leaked secret,
 * the lifetime cannot be extended, and each token has one encoding.
 */
function factsOf(payload: string, now: number): TokenFacts & { exp: number } {
  const { videoId, jti, iat, exp, policy, watermark } = claimsOf(payload)
  const isText = typeof videoId === 'string' && /^vid_\w{1,60}$/.test(videoId) && typeof jti === 'string'
  const isTime = isSecond(iat) && iat <= now / 1000 + CLOCK_LEEWAY_SEC && isSecond(exp) && isLifetime(exp - iat)
  if (!isText || !isTime || !isOptionalText(policy) || !isOptionalText(watermark)) throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  const facts = { videoId, jti, iat, lifetimeSec: exp - iat, policy, watermark }
  if (payloadOf(facts) !== payload) throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  return { ...facts, exp }
}

const isLifetime = (seconds: number) => seconds >= MIN_LIFETIME_SEC && seconds <= TOKEN_LIFETIME_SEC

const isOptionalText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string'

const isSecond = (value: unknown): value is number => Number.isSafeInteger(value)

function claimsOf(payload: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  } catch {
    throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  }
}

/**
 * Returns the reference to an API key or share link in a token's ID: 16 hexadecimal digits. It is a hash, so that viewers, who hold tokens,
 * learn no ID from it. It is not a claim, because processes of the previous version would refuse such tokens.
 */
export function keyReference(keyId: string): string {
  let reference = references.get(keyId)
  if (reference === undefined) {
    reference = sha256(keyId).subarray(0, 8).toString('hex')
    references.set(keyId, reference)
  }
  return reference
}

/**
 * Cache of references: a hash for each token would cost as much as its random part. A second copy in the pages' module graph holds the same
 * hashes.
 */
const references = new LRUCache<string, string>({ max: 10_000 })

/** Returns a new `jti`: `tok_`, 22 random characters, and the reference of the issuing API key. No reference for a member's preview. */
export const newTokenId = (keyId?: string): string => (keyId ? `${newId('tok')}_${keyReference(keyId)}` : newId('tok'))

/**
 * Returns the reference of the API key or share link that issued the token. Undefined for a preview, and for a token of a version without
 * references.
 */
export const keyReferenceOf = (tokenId: string): string | undefined => /_([0-9a-f]{16})$/.exec(tokenId)?.[1]

/**
 * Returns the `jti` of a share link's token. Its session counts as opened at the end `number`, and is over at `expiresAt` (Unix seconds).
 */
export const newLinkTokenId = (linkId: string, { number, expiresAt }: LinkTerms): string =>
  `lnk_${randomBase62(22)}_${number.toString(36)}_${expiresAt.toString(36)}_${keyReference(linkId)}`

/** What a share link's token fixes for its sessions. */
export interface LinkTerms {
  number: number
  expiresAt: number
}

/** Returns the terms in the `jti` of a share link's token. Undefined for any other. */
export function linkTermsOf(tokenId: string): LinkTerms | undefined {
  const [, number, expiry] = /^lnk_\w{22}_([0-9a-z]{1,10})_([0-9a-z]{1,10})_[0-9a-f]{16}$/.exec(tokenId) ?? []
  return number && expiry ? { number: Number.parseInt(number, 36), expiresAt: Number.parseInt(expiry, 36) } : undefined
}
