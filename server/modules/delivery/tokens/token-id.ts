import { LRUCache } from 'lru-cache'
import { newId, randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'

/**
 * Returns the reference in a token's id to its API key or share link: 16 hexadecimal digits. It is a hash, so that viewers, who hold
 * tokens, learn no id from it. It has no claim because processes of the previous version would refuse such tokens.
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

/**
 * Returns a new `jti`: `tok_`, 22 random characters, and the reference of the issuing API key; without a reference for a member's
 * preview.
 */
export const newTokenId = (keyId?: string): string => (keyId ? `${newId('tok')}_${keyReference(keyId)}` : newId('tok'))

/**
 * Returns the reference of the API key or share link that issued the token; undefined for a preview and for a token of a version without
 * references.
 */
export const keyReferenceOf = (tokenId: string): string | undefined => /_([0-9a-f]{16})$/.exec(tokenId)?.[1]

/** Returns the `jti` of a token of a share link: its session counts as opened at the end `number`, and is over at `expiresAt` (Unix seconds). */
export const newLinkTokenId = (linkId: string, { number, expiresAt }: LinkTerms): string =>
  `lnk_${randomBase62(22)}_${number.toString(36)}_${expiresAt.toString(36)}_${keyReference(linkId)}`

/** What the token of a share link fixes for its sessions. */
export interface LinkTerms {
  number: number
  expiresAt: number
}

/** Returns the terms in the `jti` of a share link's token; undefined for any other. */
export function linkTermsOf(tokenId: string): LinkTerms | undefined {
  const [, number, expiry] = /^lnk_\w{22}_([0-9a-z]{1,10})_([0-9a-z]{1,10})_[0-9a-f]{16}$/.exec(tokenId) ?? []
  return number && expiry ? { number: Number.parseInt(number, 36), expiresAt: Number.parseInt(expiry, 36) } : undefined
}
