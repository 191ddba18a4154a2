import { createCipheriv, createDecipheriv } from 'node:crypto'
import { sha256 } from '../../../platform/secrets/crypto.ts'

/**
 * Encrypts with AES-128-CBC and the media sequence number as IV, the default of players without an IV attribute (RFC 8216 §5.2).
 * `name` is the first 128 bits of the ciphertext's SHA-256, hexadecimal.
 */
export function encryptSegment(plain: Uint8Array, key: Uint8Array, sequence: number): { name: string; body: Buffer } {
  const cipher = createCipheriv('aes-128-cbc', key, sequenceIv(sequence))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return { name: contentName(body), body }
}

/** Reverses `encryptSegment`. Throws when the key or the sequence number is another. */
export function decryptSegment(body: Uint8Array, key: Uint8Array, sequence: number): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', key, sequenceIv(sequence))
  return Buffer.concat([decipher.update(body), decipher.final()])
}

export const contentName = (body: Uint8Array): string => sha256(body).subarray(0, 16).toString('hex')

/** Returns the number as 128 bits, big-endian. */
export function sequenceIv(sequence: number): Buffer {
  const iv = Buffer.alloc(16)
  iv.writeBigUInt64BE(BigInt(sequence), 8)
  return iv
}
