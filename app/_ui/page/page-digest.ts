const WAITED = 'waited:'

/** Returns the digest of an error of a page: its request id, and whether the service was too busy to load what the page shows. */
export const pageDigest = (requestId: string, isWait: boolean): string => (isWait ? WAITED : '') + requestId

/** Reverses `pageDigest`. Errors that Next found itself have a digest of Next's. */
export function readDigest(digest: string | undefined): { requestId: string | undefined; isWait: boolean } {
  const isWait = digest?.startsWith(WAITED) ?? false
  return { requestId: isWait ? digest?.slice(WAITED.length) : digest, isWait }
}
