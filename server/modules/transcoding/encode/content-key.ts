import { randomBytes } from 'node:crypto'
import { reseal, type SealedColumn } from '../../../platform/database/reseal.ts'
import { seal, unseal } from '../../../platform/secrets/seal.ts'

/** Returns a new random AES-128 key for one media. */
export const newContentKey = (): Buffer => randomBytes(16)

/** Seals a key for storage, bound to its media's ID. */
export const sealContentKey = (key: Uint8Array, mediaId: string): Buffer<ArrayBuffer> => seal(key, mediaId)

/** Unseals a stored key. Throws if it was sealed for other media or under a master key that is not (or no longer) configured. */
export const openContentKey = (stored: Uint8Array, mediaId: string): Buffer => unseal(stored, mediaId)

/** Column of the content keys, for sealing them under a new master key. */
export const SEALED_CONTENT_KEYS: SealedColumn = { table: 'media', id: 'id', column: 'content_key', ownerOf: (mediaId) => mediaId }

/** Seals all content keys under the first master key, in the job `key.rewrap`. Returns the counts of `reseal`. */
export const rewrapContentKeys = (signal: AbortSignal): Promise<{ sealed: number; unreadable: number }> =>
  reseal(SEALED_CONTENT_KEYS, signal)
