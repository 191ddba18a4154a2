import { crc32 } from 'node:zlib'
import { base62, randomBase62 } from '../../../platform/secrets/crypto.ts'

export type KeyEnvironment = 'LIVE' | 'TEST'

const START: Record<KeyEnvironment, string> = { LIVE: 'ak_live_', TEST: 'ak_test_' }
const SHAPE = /^ak_(?:live|test)_[0-9A-Za-z]{32}$/

/** Number of leading characters of a key that are stored, and shown after its creation. */
export const PREFIX_LENGTH = 12

/** Returns a new key value: 8 characters of prefix, 26 random base62, 6 of CRC-32 over the first 34; 40 in all (specification §2.4). */
export function newKeyValue(environment: KeyEnvironment): string {
  const body = START[environment] + randomBase62(26)
  return body + checksum(body)
}

/** Returns whether a value has a key's format and checksum, so that a mistyped key is refused without a lookup. */
export const isKeyValue = (value: string) => SHAPE.test(value) && checksum(value.slice(0, 34)) === value.slice(34)

const checksum = (body: string) => base62(crc32(body), 6)
