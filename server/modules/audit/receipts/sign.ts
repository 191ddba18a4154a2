import { decodeJwt, SignJWT } from 'jose'
import { env } from '../../../platform/config/config.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import type { ContentAccess } from '../content-access.ts'
import { type SigningKey, signingKey } from './signing-keys.ts'
import { RECEIPT_FORMAT, RECEIPT_TYPE, type ReceiptKind } from './state.ts'

/** Contents of a receipt. Times are ISO 8601 in UTC. */
export interface Claims {
  /** ID of the receipt. */
  id: string
  kind: ReceiptKind
  accountId: string
  /** ID of the key, video or account; reference of the viewer. */
  subject: string
  facts: Record<string, unknown>
}

/**
 * Returns a receipt as a compact JWS (RFC 7515; EdDSA, RFC 8037) whose payload is a JWT claims set (RFC 7519), signed with the current key.
 */
export async function signReceipt(
  _access: ContentAccess,
  { id, kind, accountId, subject, facts }: Claims,
  by?: SigningKey,
): Promise<string> {
  const { kid, issuer, key } = by ?? (await signingKey())
  return new SignJWT({ kind, account: accountId, ...facts })
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: RECEIPT_TYPE })
    .setIssuer(issuer)
    .setSubject(subject)
    .setJti(id)
    .setIssuedAt(Math.floor(serviceNow() / 1_000))
    .sign(key)
}

/** A receipt as a file: its readable contents and the signed form. */
export interface ReceiptFile {
  name: string
  /** JSON. */
  content: string
}

/** Returns a signed receipt with its readable contents, and where the public keys are. */
export function readableReceipt(_access: ContentAccess, jws: string) {
  const receipt = decodeJwt(jws)
  return { format: RECEIPT_FORMAT, receipt, jws, jwks: `${receipt.iss ?? env().BASE_URL}/.well-known/jwks.json` }
}

/** Returns a signed receipt as the file that its recipient gets. */
export function receiptFile(access: ContentAccess, jws: string): ReceiptFile {
  const readable = readableReceipt(access, jws)
  return { name: `reelgate-receipt-${readable.receipt.sub}.json`, content: `${JSON.stringify(readable, null, 2)}\n` }
}
