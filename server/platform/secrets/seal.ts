import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { env } from '../config/config.ts'
import { derivedKeys } from '../config/secrets.ts'
import { services } from '../container.ts'

/** Former name of the key derived from the root secret, before there could be two. Both are tried for secrets sealed under it. */
const ROOT = 'root'
const NONCE = 12
const TAG = 16
/** Purpose that the master keys were first derived for. Changing it would make everything sealed unreadable. */
const PURPOSE = 'content-key'

/** The keys that seal stored secrets, by name. The first one seals. */
type MasterKeys = ReadonlyMap<string, readonly Buffer[]>

declare module '../container.ts' {
  interface Services {
    masterKeys: MasterKeys
  }
}

export const masterKeys = () => services().masterKeys

export function makeMasterKeys(): MasterKeys {
  const given = (env().MASTER_KEYS ?? []).map(({ kid, secret }): [string, Buffer[]] => [
    kid,
    [Buffer.from(hkdfSync('sha256', secret, 'reelgate', PURPOSE, 32))],
  ])
  const derived = derivedKeys(PURPOSE)
  // Each name derives from its key, so that the names of an earlier and the current root secret differ.
  const named = derivedKeys('content-key-name').map((name, at): [string, Buffer[]] => [
    `${ROOT}-${name.toString('hex').slice(0, 8)}`,
    [derived[at] as Buffer],
  ])
  return new Map<string, readonly Buffer[]>([...given, ...named, [ROOT, derived]])
}

/** Returns the name of the key that currently seals. */
export const sealingKid = (): string => masterKeys().keys().next().value as string

/** Returns the prefix of everything sealed under a key: the length of its name, and its name. */
export const sealPrefix = (kid: string): Buffer<ArrayBuffer> => Buffer.concat([Buffer.from([kid.length]), Buffer.from(kid)])

/** Seals a secret for storage: prefix, nonce, tag, and AES-256-GCM ciphertext, bound to the prefix and to `owner` (what it belongs to). */
export function seal(secret: Uint8Array, owner: string): Buffer<ArrayBuffer> {
  const kid = sealingKid()
  const nonce = randomBytes(NONCE)
  const prefix = sealPrefix(kid)
  const cipher = createCipheriv('aes-256-gcm', masterKeys().get(kid)?.[0] as Buffer, nonce).setAAD(
    Buffer.concat([prefix, Buffer.from(owner)]),
  )
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([prefix, nonce, cipher.getAuthTag(), sealed])
}

/** Opens a sealed secret. Throws if it was sealed for another owner, or under a key that is not (or no longer) configured. */
export function unseal(stored: Uint8Array, owner: string): Buffer {
  const length = 1 + (stored[0] ?? 0)
  const kid = Buffer.from(stored.subarray(1, length)).toString()
  // An invalid name may be part of a secret that was never sealed, so the error does not contain it.
  if (!/^[\w-]{1,32}$/.test(kid) || stored.length < length + NONCE + TAG)
    throw new Error('This secret has an unknown format or is damaged.')
  const keys = masterKeys().get(kid)
  if (!keys)
    throw new Error(
      `This secret is encrypted with the master key "${kid}", which is not in MASTER_KEYS and not derived from a configured root secret.`,
    )
  for (const key of keys.slice(0, -1)) {
    try {
      return open(key, stored, length, owner)
    } catch {
      // It may be sealed under the other root secret, so the last key decides.
    }
  }
  return open(keys.at(-1) as Buffer, stored, length, owner)
}

function open(key: Buffer, stored: Uint8Array, length: number, owner: string): Buffer {
  const [nonce, tag, sealed] = [
    stored.subarray(length, length + NONCE),
    stored.subarray(length + NONCE, length + NONCE + TAG),
    stored.subarray(length + NONCE + TAG),
  ]
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG }).setAAD(
    Buffer.concat([stored.subarray(0, length), Buffer.from(owner)]),
  )
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}
