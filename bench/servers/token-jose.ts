import { CompactSign, compactVerify } from 'jose'
import { ServiceError } from '../../server/errors.ts'
import { serviceNow } from '../../server/platform/clock.ts'
import { derivedKey } from '../../server/platform/secrets.ts'

/** server/modules/playback/token.ts with the same checks, copied exactly, and the HMAC through jose. */
export const TOKEN_LIFETIME_SEC = 300

export interface TokenFacts {
  videoId: string
  jti: string
  iat: number
}

const HEADER = { alg: 'HS256', kid: 'default', typ: 'JWT' }
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = base64url(HEADER)
const claims = ({ videoId, jti, iat }: TokenFacts) => ({
  videoId,
  jti,
  iss: 'reelgate',
  aud: 'playback',
  iat,
  exp: iat + TOKEN_LIFETIME_SEC,
})

let held: Promise<CryptoKey> | undefined
/** Prepared once: given bytes, jose would import the key for every token. */
const key = () => {
  held ??= crypto.subtle.importKey('raw', Buffer.from(derivedKey('playback-token')), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
  return held
}

export async function signToken(facts: TokenFacts): Promise<string> {
  return `pt_${await new CompactSign(Buffer.from(JSON.stringify(claims(facts)))).setProtectedHeader(HEADER).sign(await key())}`
}

const SHAPE = /^pt_([\w-]{2,300})\.([\w-]{2,1000})\.([\w-]{43})$/
const invalid = () => new ServiceError('PLAYBACK_TOKEN_INVALID')

export async function verifyToken(token: string): Promise<TokenFacts & { exp: number }> {
  const [, given = '', payload = '', signature = ''] = SHAPE.exec(token) ?? []
  if (given !== header || Buffer.from(signature, 'base64url').toString('base64url') !== signature) throw invalid()
  await compactVerify(`${given}.${payload}.${signature}`, await key(), { algorithms: ['HS256'] }).catch(() => {
    throw invalid()
  })
  const now = serviceNow()
  const { videoId, jti, iat } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenFacts
  const isText = typeof videoId === 'string' && /^vid_\w{1,60}$/.test(videoId) && typeof jti === 'string'
  const isTime = typeof iat === 'number' && Number.isSafeInteger(iat) && iat <= now / 1_000 + 5
  if (!isText || !isTime || base64url(claims({ videoId, jti, iat })) !== payload) throw invalid()
  if ((iat + TOKEN_LIFETIME_SEC) * 1_000 <= now) throw new ServiceError('PLAYBACK_TOKEN_EXPIRED')
  return { videoId, jti, iat, exp: iat + TOKEN_LIFETIME_SEC }
}
