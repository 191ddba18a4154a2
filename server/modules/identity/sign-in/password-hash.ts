import { randomBytes, timingSafeEqual } from 'node:crypto'
import { services } from '../../../platform/container.ts'
import { argon2id } from '../../../platform/secrets/argon2.ts'
import type { Argon2Parameters } from '../../../platform/secrets/argon2-thread.ts'

declare module '../../../platform/container.ts' {
  interface Services {
    passwordCost: Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>
  }
}

/** At least OWASP's recommendation for argon2id: 32 MiB, 3 passes, about 0.1 s on one core. A service, so that tests can pay less. */
export const makePasswordCost = () => ({ memory: 32_768, passes: 3, parallelism: 1 })
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Normalizes a password, because keyboards compose accented letters differently. */
const message = (password: string) => password.normalize('NFKC')

const unpadded = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('base64')
    .replace(/={1,2}$/, '')

/**
 * Hashes a password with argon2id and a random salt. Returns a PHC string, which includes the cost parameters. Errors: `TurnRefused`
 * (503), as the two below.
 */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES)
  const { memory, passes, parallelism } = services().passwordCost
  const tag = await argon2id({ message: message(password), nonce, tagLength: TAG_BYTES, memory, passes, parallelism })
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Returns whether `password` matches the PHC string. False for a string in any other format. */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, hash] = PHC.exec(phc) ?? []
  if (!salt || !hash) return false
  const expected = Buffer.from(hash, 'base64')
  const tag = await argon2id({
    message: message(password),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  })
  return timingSafeEqual(tag, expected)
}

/** Does the work of `verifyPassword` for an unknown email, so that the response time does not reveal whether a user exists. */
export async function verifyAbsentUser(password: string): Promise<false> {
  const nothing = { message: message(password), nonce: Buffer.alloc(SALT_BYTES), tagLength: TAG_BYTES, ...services().passwordCost }
  await argon2id(nothing)
  return false
}
