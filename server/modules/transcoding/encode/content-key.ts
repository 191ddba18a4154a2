import { randomBytes } from 'node:crypto'
import { reseal, type SealedColumn } from '../../../platform/database/reseal.ts'
import { sign } from '../../../platform/secrets/crypto.ts'
import { seal, unseal } from '../../../platform/secrets/seal.ts'

const AES_BYTES = 16

/** Returns a new random content key for one media, from which the AES-128 key of each of its streams derives. */
export const newContentKey = (): Buffer => randomBytes(32)

/** Returns whether each stream has a key of its own. The content key of media from an early version is the AES-128 key of all its streams. */
export const hasStreamKeys = (contentKey: Uint8Array): boolean => contentKey.length > AES_BYTES

/**
 * Returns the AES-128 key of one of media's streams, by its name in `segment_list`, such as `720p`, `audio-0` or `iframes-240p`. One
 * stream's key says nothing about another's.
 */
export const streamKey = (contentKey: Uint8Array, stream: string): Uint8Array =>
  hasStreamKeys(contentKey) ? Buffer.from(sign(contentKey, stream), 'base64url') : contentKey

/** Seals a key for storage, bound to its media's ID. */
export const sealContentKey = (key: Uint8Array, mediaId: string): Buffer<ArrayBuffer> => seal(key, mediaId)

/** Unseals a stored key. Throws if it was sealed for other media or under a master key that is not (or no longer) configured. */
export const openContentKey = (stored: Uint8Array, mediaId: string): Buffer => unseal(stored, mediaId)

/** Column of the content keys, for sealing them under a new master key. */
export const SEALED_CONTENT_KEYS: SealedColumn = { table: 'media', id: 'id', column: 'content_key', ownerOf: (mediaId) => mediaId }

/** Seals all content keys under the first master key, in the job `key.rewrap`. Returns the counts of `reseal`. */
export const rewrapContentKeys = (signal: AbortSignal): Promise<{ sealed: number; unreadable: number }> =>
  reseal(SEALED_CONTENT_KEYS, signal)
