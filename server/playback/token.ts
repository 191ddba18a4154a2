import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { ServiceError } from '../errors.ts'
import { serviceNow } from '../infra/clock.ts'
import { env } from '../infra/env.ts'
import { processWide } from '../infra/process-wide.ts'
import { derivedKey } from '../infra/secrets.ts'

/** Seconds a playback token lives (specification §8). */
export const TOKEN_LIFETIME_SEC = 300
const ISSUER = 'reelgate'
const AUDIENCE = 'playback'

/** What a token says. `iat` in Unix seconds. */
export interface TokenFacts {
  videoId: string
  jti: string
  iat: number
}

interface Secrets {
  signing: { kid: string; key: CryptoKey }
  byKid: Map<string, CryptoKey>
}

const secrets = () =>
  processWide('playback-token-secrets', async (): Promise<Secrets> => {
    const listed = env().PLAYBACK_TOKEN_SECRETS?.map(({ kid, secret }) => ({ kid, bytes: Buffer.from(secret) }))
    const all = listed ?? [{ kid: 'default', bytes: derivedKey('playback-token') }]
    const imported = await Promise.all(
      all.map(async ({ kid, bytes }) => {
        const key = await crypto.subtle.importKey('raw', new Uint8Array(bytes), { name: 'HMAC', hash: 'SHA-256' }, false, [
          'sign',
          'verify',
        ])
        return { kid, key }
      }),
    )
    const [signing] = imported
    if (!signing) throw new Error('PLAYBACK_TOKEN_SECRETS is empty')
    return { signing, byKid: new Map(imported.map(({ kid, key }) => [kid, key])) }
  })

/** `pt_` + compact JWT, HS256, bound to one video for 300 seconds (specification §2.2). The same facts give the same token. */
export async function signToken({ videoId, jti, iat }: TokenFacts): Promise<string> {
  const { kid, key } = (await secrets()).signing
  const jwt = await new SignJWT({ videoId })
    .setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT' })
    .setJti(jti)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(iat)
    .setExpirationTime(iat + TOKEN_LIFETIME_SEC)
    .sign(key)
  return `pt_${jwt}`
}

/**
 * The last character of a 32-byte signature carries four bits; base64url decoders ignore the other two, so without
 * this list three other spellings of every token would verify.
 */
const SHAPE = /^pt_[\w-]{2,300}\.[\w-]{2,1000}\.[\w-]{42}[AEIMQUYcgkosw048]$/

/** Seconds that the clock we heard of the database may be behind it. */
const CLOCK_LEEWAY_SEC = 5

/** Reads a token. Errors, in this order: PLAYBACK_TOKEN_INVALID (shape, signature, claims), PLAYBACK_TOKEN_EXPIRED. */
export async function verifyToken(token: string): Promise<TokenFacts & { exp: number }> {
  if (!SHAPE.test(token)) throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  const { byKid } = await secrets()
  const now = serviceNow()
  try {
    const { payload } = await jwtVerify(
      token.slice(3),
      ({ kid }) => {
        const key = kid === undefined ? undefined : byKid.get(kid)
        if (!key) throw new errors.JWSSignatureVerificationFailed()
        return key
      },
      { algorithms: ['HS256'], issuer: ISSUER, audience: AUDIENCE, currentDate: new Date(now) },
    )
    return factsOf(payload, now)
  } catch (error) {
    if (error instanceof errors.JWTExpired && factsOf(error.payload, now)) throw new ServiceError('PLAYBACK_TOKEN_EXPIRED')
    if (error instanceof errors.JOSEError) throw new ServiceError('PLAYBACK_TOKEN_INVALID', { cause: error })
    throw error
  }
}

/** The claims, if they are what `signToken` writes: 300 seconds from a moment that has been, for one audience and one video. */
function factsOf({ videoId, jti, aud, iat, exp }: JWTPayload, now: number): TokenFacts & { exp: number } {
  const isText = typeof videoId === 'string' && /^vid_\w{1,60}$/.test(videoId) && typeof jti === 'string' && aud === AUDIENCE
  const isTime =
    Number.isSafeInteger(iat) && (iat as number) <= now / 1000 + CLOCK_LEEWAY_SEC && exp === (iat as number) + TOKEN_LIFETIME_SEC
  if (!isText || !isTime) throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  return { videoId, jti, iat: iat as number, exp }
}
