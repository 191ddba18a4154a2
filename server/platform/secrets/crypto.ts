import { createHmac, createSecretKey, hash, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns `length` characters of base62, each uniformly random. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    // 248 is the largest multiple of 62 below 256; higher bytes would favor the first characters.
    for (const byte of randomBytes(length * 2)) if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  }
  return text
}

/** Returns a number in base62, left-padded with 0 to `length`. */
export function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text
  return text
}

/** Returns an opaque identifier: `<prefix>_` and 22 random base62 characters (131 bits). */
export const newId = (prefix: string) => `${prefix}_${randomBase62(22)}`

export const sha256 = (data: string | Uint8Array) => hash('sha256', data, 'buffer')

const prepared = new WeakMap<Uint8Array, KeyObject>()

/** Returns the HMAC-SHA-256, cut to 128 bits, base64url: for URLs that the service signs and verifies. */
export function sign(key: Uint8Array, text: string): string {
  // Given bytes, Node prepares the key for every signature, which takes five times as long as signing.
  let ready = prepared.get(key)
  if (!ready) {
    ready = createSecretKey(key)
    prepared.set(key, ready)
  }
  return createHmac('sha256', ready).update(text).digest().subarray(0, 16).toString('base64url')
}

/** Returns whether two strings are equal, in time that does not depend on where they differ. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
