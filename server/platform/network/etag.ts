import { sha256 } from '../secrets/crypto.ts'

/** Returns a strong validator of exactly these bytes, quoted (RFC 9110 §8.8.3). */
export const etagOf = (bytes: Uint8Array | string): string => etagOfDigest(sha256(bytes))

/** Returns the same validator from the SHA-256 of the bytes. */
export const etagOfDigest = (digest: Buffer): string => `"${digest.subarray(0, 16).toString('base64url')}"`

/**
 * What servers that compress a response add to its validator, in or after the quotes: `-gzip` (Apache, Caddy), `;gzip`, `--gzip` (Jetty).
 */
const CODING = /(?:--?|;)(?:gzip|br|zstd|deflate)("?)$/

/**
 * Returns the validators in `If-None-Match` or `If-Match`, quoted, without `W/`. Adds a copy without the coding of one that names a coding.
 */
export function namedEtags(header: string | undefined): string[] {
  const items = (header ?? '').split(',').map((item) => item.trim().replace(/^W\//, ''))
  return items.flatMap((item) => (CODING.test(item) ? [item, item.replace(CODING, '$1')] : [item]))
}

/** Returns whether a header names the validator, by weak comparison (RFC 9110 §13.1.2). `header` is undefined if absent. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  return header !== undefined && (header === etag || namedEtags(header).some((named) => named === etag || named === '*'))
}
