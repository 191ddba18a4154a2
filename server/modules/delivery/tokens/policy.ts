import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { derivedKey, derivedKeys } from '../../../platform/config/secrets.ts'
import { countries } from '../../../platform/network/countries.ts'
import { COUNTRY_CODES } from '../../../platform/network/country-codes.ts'
import { oneLine, text } from '../../../platform/text/schema.ts'
import { callerAddress } from '../../../platform/turns/caller.ts'
import { isWithin, networksOf } from '../../access/keys/ip-ranges.ts'
import { addressRange } from '../../access/keys/schema.ts'
import { TOKEN_LIFETIME_SEC } from '../../access/keys/validity.ts'
import { MOST_SESSIONS } from '../viewers/schema.ts'
import { MIN_LIFETIME_SEC } from './token.ts'

const MAX_ADDRESSES = 16
const COUNTRY_FORM = 'Use two-letter country codes (ISO 3166-1) in capitals, such as CH.'

/** The customer's own ID of a person. Clients resolve the segments `.` and `..`, so no URL could name them. */
const viewerId = oneLine(text().min(1).max(128)).refine((id) => id !== '.' && id !== '..', 'Use an ID other than . and ..')

const MAX_LABEL = 128

const viewerLabel = oneLine(text().min(1))
  // Characters, of which one can be two units of a JavaScript string.
  .refine((label) => [...label].length <= MAX_LABEL, `Use at most ${MAX_LABEL} characters.`)
  .meta({
    description: 'Text of the visible watermark, such as the email address of this person. We do not store it.',
    maxLength: MAX_LABEL,
  })

/** What a token request's body can ask for: who may watch, and at which quality. */
export const playbackPolicy = z
  .strictObject({
    viewer: z
      .strictObject({ id: viewerId.meta({ description: 'Your own ID for the person who watches.' }), label: viewerLabel.optional() })
      .optional()
      .meta({ description: 'Who watches. Only this service can read it in the token.', examples: [{ id: 'student-42' }] }),
    maxSessions: z
      .int()
      .min(1)
      .max(MOST_SESSIONS)
      .optional()
      .meta({
        description: 'Sessions that this viewer may have at a time, across all videos of the account. Requires `viewer`.',
        examples: [2],
      }),
    onLimit: z
      .enum(['refuse', 'end-oldest'])
      .optional()
      .meta({ description: 'What happens to a session above `maxSessions`: it is refused (the default), or the oldest one ends.' }),
    resume: z.boolean().optional().meta({ description: 'Whether our player starts where this viewer stopped. Requires `viewer`.' }),
    countries: z
      .array(
        z
          .string()
          .regex(/^[A-Z]{2}$/, COUNTRY_FORM)
          .refine((code) => COUNTRY_CODES.has(code), COUNTRY_FORM),
      )
      .min(1)
      .max(COUNTRY_CODES.size)
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
    watermark: z.enum(['visible']).optional().meta({
      description:
        'Our player draws `viewer.label` over the video, and stops if a viewer hides it. Other players ignore it. Requires `viewer.label`.',
    }),
    expiresInSec: z
      .int()
      .min(MIN_LIFETIME_SEC)
      .max(TOKEN_LIFETIME_SEC)
      .optional()
      .meta({ description: 'Seconds until the token expires; 300 by default.', examples: [60] }),
  })
  .superRefine(({ viewer, maxSessions, onLimit, resume, watermark }, ctx) => {
    const lacks = (path: string, needs: string) => ctx.addIssue({ code: 'custom', path: [path], message: `Requires ${needs}.` })
    if (maxSessions !== undefined && !viewer) lacks('maxSessions', 'viewer.id')
    if (resume !== undefined && !viewer) lacks('resume', 'viewer.id')
    if (onLimit !== undefined && maxSessions === undefined) lacks('onLimit', 'maxSessions')
    if (watermark !== undefined && viewer?.label === undefined) lacks('watermark', 'viewer.label')
  })
  .meta({ id: 'PlaybackPolicy', description: 'Restrictions of one playback session. Every field is optional.' })

export type PlaybackPolicy = z.output<typeof playbackPolicy>

/** The part of a policy that applies for as long as the session lasts. */
export type SessionPolicy = Omit<PlaybackPolicy, 'expiresInSec' | 'watermark' | 'viewer'> & {
  viewer?: { id: string } | undefined
} & TokenTerms

/** What a token adds to the policy of its request. */
interface TokenTerms {
  /** A test key issued it. */
  test?: true
  /** In which millisecond of the second `iat` it was issued, if it names a viewer: before or after their erasure. */
  issuedMs?: number
}

/** What a sealed text is: the session's part of a policy, or the label of a watermark. */
type Sealed = 'playback-policy' | 'playback-label'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Returns the session's part of a policy as text that only this service can read (AES-256-GCM), bound to the token `jti`. Undefined if it
 * restricts nothing. Equal input gives equal text, so that a repeated token request returns the same token.
 */
export function sealPolicy(jti: string, policy: PlaybackPolicy & TokenTerms): string | undefined {
  const { expiresInSec: _, watermark: __, countries, viewer, issuedMs, ...others } = policy
  const named = viewer && { viewer: { id: viewer.id }, issuedMs }
  const text = JSON.stringify({ countries: countries?.join(''), ...named, ...others })
  return text === '{}' ? undefined : seal('playback-policy', jti, text)
}

/**
 * Returns the label of a visible watermark, sealed in the same way; undefined without one. It is not part of the session's policy: only the
 * exchange needs it, and the URLs of playlists and keys, which hold that policy, stay short.
 */
export const sealLabel = (jti: string, { viewer, watermark }: PlaybackPolicy): string | undefined =>
  watermark && viewer?.label && seal('playback-label', jti, viewer.label)

function seal(purpose: Sealed, jti: string, text: string): string {
  // Derived from what it encrypts, so that no nonce encrypts two texts.
  const nonce = createHmac('sha256', derivedKey(`${purpose}-nonce`))
    .update(`${jti}\0${text}`)
    .digest()
    .subarray(0, NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', derivedKey(purpose), nonce).setAAD(Buffer.from(jti))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Opens a policy that `sealPolicy` sealed for the same token. Errors: PLAYBACK_TOKEN_INVALID. */
export function openPolicy(jti: string, sealed: string): SessionPolicy {
  const { countries, ...others } = JSON.parse(open('playback-policy', jti, sealed)) as Omit<SessionPolicy, 'countries'> & {
    countries?: string
  }
  return { ...others, ...(countries && { countries: countries.match(/../g) ?? [] }) }
}

/** Opens a label that `sealLabel` sealed for the same token. Errors: PLAYBACK_TOKEN_INVALID. */
export const openLabel = (jti: string, sealed: string): string => open('playback-label', jti, sealed)

function open(purpose: Sealed, jti: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const text = derivedKeys(purpose)
    .map((key) => decrypted(key, jti, bytes))
    .find((one) => one !== undefined)
  if (text === undefined) throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  return text
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
