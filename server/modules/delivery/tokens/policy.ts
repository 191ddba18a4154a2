import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { derivedKey, derivedKeys } from '../../../platform/config/secrets.ts'
import { countries } from '../../../platform/network/countries.ts'
import { callerAddress } from '../../../platform/turns/caller.ts'
import { isWithin, networksOf } from '../../access/keys/ip-ranges.ts'
import { addressRange } from '../../access/keys/schema.ts'
import { TOKEN_LIFETIME_SEC } from '../../access/keys/validity.ts'
import { MIN_LIFETIME_SEC } from './token.ts'

const MAX_ADDRESSES = 16
/** Number of codes in ISO 3166-1. */
const MAX_COUNTRIES = 249
const MAX_SESSIONS = 100

/** The customer's own ID of a person. Control characters would break logs and URLs. */
export const viewerId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^\P{Cc}+$/u, 'Use no control characters.')

/** What a token request's body can ask for: who may watch, and at which quality. */
export const playbackPolicy = z
  .strictObject({
    viewer: z
      .strictObject({ id: viewerId.meta({ description: 'Your own ID of the person who watches.' }) })
      .optional()
      .meta({ description: 'Who watches. Only this service can read it in the token.', examples: [{ id: 'student-42' }] }),
    maxSessions: z
      .int()
      .min(1)
      .max(MAX_SESSIONS)
      .optional()
      .meta({
        description: 'Sessions that this viewer may have at a time, over all videos of the account. Requires `viewer`.',
        examples: [2],
      }),
    onLimit: z
      .enum(['refuse', 'end-oldest'])
      .optional()
      .meta({ description: 'What happens to a session above `maxSessions`: it is refused (the default), or the oldest one ends.' }),
    resume: z.boolean().optional().meta({ description: 'Whether our player starts where this viewer stopped. Requires `viewer`.' }),
    countries: z
      .array(z.string().regex(/^[A-Z]{2}$/, 'Use two-letter country codes (ISO 3166-1) in capitals, such as CH.'))
      .min(1)
      .max(MAX_COUNTRIES)
      .optional()
      .meta({ description: 'Countries (ISO 3166-1) from which the video can be watched.', examples: [['CH', 'DE']] }),
    addresses: z
      .array(addressRange)
      .min(1)
      .max(MAX_ADDRESSES)
      .optional()
      .meta({ description: 'IP addresses and networks from which the video can be watched.', examples: [['203.0.113.0/24']] }),
    maxHeight: z
      .int()
      .min(1)
      .max(4320)
      .optional()
      .meta({
        description: 'Highest rendition offered, as in `720p`. The lowest rendition is offered even where it is higher.',
        examples: [720],
      }),
    expiresInSec: z
      .int()
      .min(MIN_LIFETIME_SEC)
      .max(TOKEN_LIFETIME_SEC)
      .optional()
      .meta({ description: 'Seconds until the token expires; 300 by default.', examples: [60] }),
  })
  .superRefine(({ viewer, maxSessions, onLimit, resume }, ctx) => {
    const lacks = (path: string, needs: string) => ctx.addIssue({ code: 'custom', path: [path], message: `Requires ${needs}.` })
    if (maxSessions !== undefined && !viewer) lacks('maxSessions', 'viewer.id')
    if (resume !== undefined && !viewer) lacks('resume', 'viewer.id')
    if (onLimit !== undefined && maxSessions === undefined) lacks('onLimit', 'maxSessions')
  })
  .meta({ id: 'PlaybackPolicy', description: 'Restrictions of one playback session. Every field is optional.' })

export type PlaybackPolicy = z.output<typeof playbackPolicy>

/** The part of a policy that applies for as long as the session lasts. */
export type SessionPolicy = Omit<PlaybackPolicy, 'expiresInSec'>

const PURPOSE = 'playback-policy'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Returns the session's part of a policy as text that only this service can read (AES-256-GCM), bound to the token `jti`. Undefined if it
 * restricts nothing. Equal input gives equal text, so that a repeated token request returns the same token.
 */
export function sealPolicy(jti: string, { expiresInSec: _, countries, ...others }: PlaybackPolicy): string | undefined {
  const text = JSON.stringify({ countries: countries?.join(''), ...others })
  if (text === '{}') return undefined
  // Derived from what it encrypts, so that no nonce encrypts two texts.
  const nonce = createHmac('sha256', derivedKey(`${PURPOSE}-nonce`))
    .update(`${jti}\0${text}`)
    .digest()
    .subarray(0, NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', derivedKey(PURPOSE), nonce).setAAD(Buffer.from(jti))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Opens a policy that `sealPolicy` sealed for the same token. Errors: PLAYBACK_TOKEN_INVALID. */
export function openPolicy(jti: string, sealed: string): SessionPolicy {
  const bytes = Buffer.from(sealed, 'base64url')
  const text = derivedKeys(PURPOSE)
    .map((key) => decrypted(key, jti, bytes))
    .find((one) => one !== undefined)
  if (text === undefined) throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  const { countries, ...others } = JSON.parse(text) as Omit<SessionPolicy, 'countries'> & { countries?: string }
  return { ...others, ...(countries && { countries: countries.match(/../g) ?? [] }) }
}

function decrypted(key: Buffer, jti: string, bytes: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(jti)).setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/**
 * Errors: PLAYBACK_NOT_ALLOWED for a request from a country or an address that the policy does not list. An unknown country is never
 * listed.
 */
export async function requireAllowed({ countries: allowed, addresses }: SessionPolicy): Promise<void> {
  const address = callerAddress()
  if (addresses && !isWithin(networksOf(addresses), address)) throw notAllowed('ADDRESS', 'This video cannot be watched from this network.')
  if (!allowed) return
  const country = address && (await countries())(address)
  if (!country || !allowed.includes(country)) throw notAllowed('COUNTRY', 'This video cannot be watched in this country.', { country })
}

/** Returns which of a video's qualities, such as `720p`, a policy offers; always the lowest one. */
export function offeredQualities(qualities: readonly string[], { maxHeight = Number.POSITIVE_INFINITY }: SessionPolicy): Set<string> {
  const heightOf = (quality: string) => Number.parseInt(quality, 10)
  const highest = Math.max(maxHeight, Math.min(...qualities.map(heightOf)))
  return new Set(qualities.filter((quality) => heightOf(quality) <= highest))
}

/** Returns the refusal for what a policy does not allow. `reason` is stable, for programs. */
export const notAllowed = (reason: 'COUNTRY' | 'ADDRESS' | 'HEIGHT' | 'SESSIONS', message: string, details: object = {}) =>
  new ServiceError('PLAYBACK_NOT_ALLOWED', { message, details: { reason, ...details } })
