import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { derivedKey } from '../infra/secrets.ts'

/** The key that seals content keys at rest. */
const sealingKey = () => derivedKey('content-key')
const NONCE = 12
const TAG = 16

/** A fresh AES-128 key for one video. */
export const newContentKey = (): Buffer => randomBytes(16)

/** As it is stored: nonce, tag, AES-256-GCM ciphertext, bound to the video's id. */
export function sealContentKey(key: Uint8Array, videoId: string): Buffer<ArrayBuffer> {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(), nonce).setAAD(Buffer.from(videoId))
  const sealed = Buffer.concat([cipher.update(key), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws when it was sealed for another video or under another root secret. */
export function openContentKey(stored: Uint8Array, videoId: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(), stored.subarray(0, NONCE)).setAAD(Buffer.from(videoId))
  decipher.setAuthTag(stored.subarray(NONCE, NONCE + TAG))
  return Buffer.concat([decipher.update(stored.subarray(NONCE + TAG)), decipher.final()])
}
