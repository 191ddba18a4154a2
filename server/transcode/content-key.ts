import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { env } from '../infra/env.ts'
import { processWide } from '../infra/process-wide.ts'
import { derivedKey } from '../infra/secrets.ts'

/** Name of the key that derives from the root secret: the only one unless MASTER_KEYS are set, and one that opens ever after. */
const ROOT = 'root'
const NONCE = 12
const TAG = 16

/** The keys that seal content keys at rest, by name; the first one seals. */
const masterKeys = () =>
  processWide('master-keys', () => {
    const given = (env().MASTER_KEYS ?? []).map(({ kid, secret }): [string, Buffer] => [
      kid,
      Buffer.from(hkdfSync('sha256', secret, 'reelgate', 'content-key', 32)),
    ])
    return new Map<string, Buffer>([...given, [ROOT, derivedKey('content-key')]])
  })

/** Name of the key that seals now. */
export const sealingKid = (): string => masterKeys().keys().next().value as string

/** A fresh AES-128 key for one video. */
export const newContentKey = (): Buffer => randomBytes(16)

/** What everything sealed under a key begins with: the length of its name, and its name. */
export const sealPrefix = (kid: string): Buffer<ArrayBuffer> => Buffer.concat([Buffer.from([kid.length]), Buffer.from(kid)])

/** As it is stored: prefix, nonce, tag, AES-256-GCM ciphertext, bound to the prefix and to the video's id. */
export function sealContentKey(key: Uint8Array, videoId: string): Buffer<ArrayBuffer> {
  const kid = sealingKid()
  const nonce = randomBytes(NONCE)
  const prefix = sealPrefix(kid)
  const cipher = createCipheriv('aes-256-gcm', masterKeys().get(kid) as Buffer, nonce).setAAD(Buffer.concat([prefix, Buffer.from(videoId)]))
  const sealed = Buffer.concat([cipher.update(key), cipher.final()])
  return Buffer.concat([prefix, nonce, cipher.getAuthTag(), sealed])
}

/** Throws when it was sealed for another video, or under a key that is not among ours (any more). */
export function openContentKey(stored: Uint8Array, videoId: string): Buffer {
  const length = 1 + (stored[0] ?? 0)
  const kid = Buffer.from(stored.subarray(1, length)).toString()
  const key = masterKeys().get(kid)
  if (!key) throw new Error(`This content key is sealed under the master key "${kid}", which MASTER_KEYS does not name.`)
  const [nonce, tag, sealed] = [
    stored.subarray(length, length + NONCE),
    stored.subarray(length + NONCE, length + NONCE + TAG),
    stored.subarray(length + NONCE + TAG),
  ]
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG }).setAAD(
    Buffer.concat([stored.subarray(0, length), Buffer.from(videoId)]),
  )
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}
