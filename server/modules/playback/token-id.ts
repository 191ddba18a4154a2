import { LRUCache } from 'lru-cache'
import { newId, sha256 } from '../../platform/crypto.ts'

/**
 * Returns the reference in a token's id to its API key: 16 hexadecimal digits. It is a hash, so that viewers, who hold tokens,
 * learn no key's id from it. It has no claim because processes of the previous version would refuse such tokens
 * (docs/decisions/0011).
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
 * Returns the reference of the API key that issued the token; undefined for a preview and for a token of a version without
 * references.
 */
export const keyReferenceOf = (tokenId: string): string | undefined => /_([0-9a-f]{16})$/.exec(tokenId)?.[1]
