import { sha256 } from './crypto.ts'

/** Returns a strong validator of exactly these bytes, quoted (RFC 9110 §8.8.3). */
export const etagOf = (bytes: Uint8Array | string): string => etagOfDigest(sha256(bytes))

/** Returns the same validator from the SHA-256 of the bytes. */
export const etagOfDigest = (digest: Buffer): string => `"${digest.subarray(0, 16).toString('base64url')}"`

/** Whether an `If-None-Match` header names the validator, by weak comparison (RFC 9110 §13.1.2). `header` is undefined where there is none. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false
  return header === etag || header.trim() === '*' || header.split(',').some((item) => item.trim().replace(/^W\//, '') === etag)
}
