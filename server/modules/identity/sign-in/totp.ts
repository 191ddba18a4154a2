import { Secret, TOTP } from 'otpauth'
import { serviceNow } from '../../../platform/database/clock.ts'
import { seal, unseal } from '../../../platform/secrets/seal.ts'

/** Context that the sealed secret is bound to. */
const ownerOf = (userId: string) => `totp:${userId}`

/** Column for the job that reseals all secrets under the first master key. */
export const SEALED_TOTP = { table: 'app_user', id: 'id', column: 'totp_secret', ownerOf }

const STEP_SEC = 30

const totp = (secret: Uint8Array, email: string) =>
  new TOTP({ issuer: 'Reelgate', label: email, secret: new Secret({ buffer: new Uint8Array(secret).buffer }), period: STEP_SEC })

/** Returns a new secret: sealed for storage, in base32, and as a URI for an authenticator app. */
export function newTotp(userId: string, email: string): { sealed: Buffer<ArrayBuffer>; secret: string; uri: string } {
  // 160 bits, the length of the hash (RFC 4226 §4).
  const secret = new Secret({ size: 20 })
  const bytes = new Uint8Array(secret.buffer)
  return { sealed: seal(bytes, ownerOf(userId)), secret: secret.base32, uri: totp(bytes, email).toString() }
}

/**
 * Returns the 30-second step of a code by the database's clock. Accepts one step early or late (RFC 6238 §5.2). Undefined for an incorrect
 * code.
 */
export function stepOf(code: string, sealed: Uint8Array, userId: string): number | undefined {
  const timestamp = serviceNow()
  const delta = totp(unseal(sealed, ownerOf(userId)), '').validate({ token: code, timestamp, window: 1 })
  return delta === null ? undefined : Math.floor(timestamp / 1_000 / STEP_SEC) + delta
}
