import { createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { hasStreamKeys, newContentKey, openContentKey, sealContentKey, streamKey } from './content-key.ts'
import { encryptSegment, sequenceIv } from './segment-store.ts'

provide({ BASE_URL: 'http://localhost', REELGATE_SECRET: 'a secret for tests, long enough to be one' })

it('sequenceIv returns the segment number, big-endian', () => {
  expect(sequenceIv(0).toString('hex')).toBe('00000000000000000000000000000000')
  expect(sequenceIv(1).toString('hex')).toBe('00000000000000000000000000000001')
  expect(sequenceIv(4_294_967_301).toString('hex')).toBe('00000000000000000000000100000005')
})

it('streamKey derives a key for each stream (HMAC-SHA-256, cut to 128 bits), and returns the one key of media from an early version', () => {
  const key = newContentKey()
  expect(hasStreamKeys(key)).toBe(true)
  expect(Buffer.from(streamKey(key, '720p'))).toEqual(createHmac('sha256', key).update('720p').digest().subarray(0, 16))
  const streams = ['720p', '480p', 'av1-720p', 'iframes-480p', 'audio-0', 'audio-1']
  expect(new Set(streams.map((stream) => Buffer.from(streamKey(key, stream)).toString('hex'))).size).toBe(streams.length)
  const early = randomBytes(16)
  expect([hasStreamKeys(early), streamKey(early, '720p')]).toEqual([false, early])
})

it('encryptSegment names a segment after its ciphertext, which decrypts with the key and the number', () => {
  const key = randomBytes(16)
  const plain = randomBytes(188 * 100)
  const { name, body } = encryptSegment(plain, key, 7)
  const decipher = createDecipheriv('aes-128-cbc', key, sequenceIv(7))
  expect(Buffer.concat([decipher.update(body), decipher.final()]).equals(plain)).toBe(true)
  expect(name).toBe(createHash('sha256').update(body).digest('hex').slice(0, 32))
  expect(encryptSegment(plain, key, 8).name).not.toBe(name)
  expect(encryptSegment(plain, randomBytes(16), 7).name).not.toBe(name)
})

it('encryptSegment returns the known answer (NIST SP 800-38A, F.1.1: the first block, which under a zero IV equals that of CBC)', () => {
  const key = Buffer.from('2b7e151628aed2a6abf7158809cf4f3c', 'hex')
  const plain = Buffer.from('6bc1bee22e409f96e93d7e117393172a', 'hex')
  expect(encryptSegment(plain, key, 0).body.subarray(0, 16).toString('hex')).toBe('3ad77bb40d7a3660a89ecaf32466ef97')
})

it('sealContentKey seals with a new nonce each time; openContentKey accepts only the same video and unmodified bytes', () => {
  const key = newContentKey()
  const sealed = sealContentKey(key, 'vid_a')
  expect(sealContentKey(key, 'vid_a').equals(sealed)).toBe(false)
  expect(sealed.includes(key)).toBe(false)
  expect(openContentKey(sealed, 'vid_a').equals(key)).toBe(true)
  expect(() => openContentKey(sealed, 'vid_b')).toThrow()
  for (const at of [0, 12, sealed.length - 1]) {
    const touched = Buffer.from(sealed)
    touched[at] = (touched[at] ?? 0) ^ 1
    expect(() => openContentKey(touched, 'vid_a')).toThrow()
  }
})
