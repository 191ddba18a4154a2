import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../../platform/seal.ts'

/** A fresh AES-128 key for one video. */
export const newContentKey = (): Buffer => randomBytes(16)

/** A video's key as it is stored, bound to the video's id. */
export const sealContentKey = (key: Uint8Array, videoId: string): Buffer<ArrayBuffer> => seal(key, videoId)

/** Throws when it was sealed for another video, or under a key that is not among ours (any more). */
export const openContentKey = (stored: Uint8Array, videoId: string): Buffer => unseal(stored, videoId)
