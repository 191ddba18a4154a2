import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { randomBase62 } from '../../../platform/secrets/crypto.ts'

/** Returns a new signing secret: `whsec_` and 32 random base62 characters (190 bits). The whole text is the HMAC key. */
export const newSigningSecret = (): string => `whsec_${randomBase62(32)}`

/** By secret. A second copy in the pages' module graph holds the same keys. */
const prepared = new LRUCache<string, KeyObject>({ max: 2_000 })

/**
 * Returns the value of `X-Service-Signature` (specification §6.2): `t=<Unix seconds>,v1=<hex>`, HMAC-SHA256 over the seconds, a dot and the
 * raw body. Contains one `v1` per secret, so that receivers can use either during a rotation overlap.
 */
export function signatureHeader(secrets: readonly string[], unixSec: number, body: string): string {
  const signed = `${unixSec}.${body}`
  return [`t=${unixSec}`, ...secrets.map((secret) => `v1=${createHmac('sha256', keyOf(secret)).update(signed).digest('hex')}`)].join(',')
}

function keyOf(secret: string): KeyObject {
  let key = prepared.get(secret)
  if (!key) {
    key = createSecretKey(Buffer.from(secret))
    prepared.set(secret, key)
  }
  return key
}
