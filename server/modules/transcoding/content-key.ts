import { randomBytes } from 'node:crypto'
import { reseal, type SealedColumn } from '../../platform/reseal.ts'
import { seal, unseal } from '../../platform/seal.ts'

/** Returns a new random AES-128 key for one video. */
export const newContentKey = (): Buffer => randomBytes(16)

/** Seals a video's key for storage, bound to the video's id. */
export const sealContentKey = (key: Uint8Array, videoId: string): Buffer<ArrayBuffer> => seal(key, videoId)

/** Unseals a stored key. Throws when it was sealed for another video or under a master key that is not configured (any more). */
export const openContentKey = (stored: Uint8Array, videoId: string): Buffer => unseal(stored, videoId)

/** Column of the content keys, for sealing them under a new master key. */
export const SEALED_CONTENT_KEYS: SealedColumn = { table: 'video', id: 'id', column: 'content_key', ownerOf: (videoId) => videoId }

/** Seals the videos' content keys under the first master key. Part of the job `key.rewrap`; returns the counts of `reseal`. */
export const rewrapContentKeys = (signal: AbortSignal): Promise<{ sealed: number; unreadable: number }> =>
  reseal(SEALED_CONTENT_KEYS, signal)
