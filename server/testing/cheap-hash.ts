import { argon2Sync, randomBytes } from 'node:crypto'

/** The least that argon2id takes: of a password in the files whose subject is not the hash. */
export const LEAST_COST = { memory: 8, passes: 1, parallelism: 1 }

/**
 * Returns the stored form of a password at the least cost, for users of tests whose subject is not the hash: verification takes the cost
 * from the stored form, so it is as cheap.
 */
export function cheapHash(password: string): string {
  const nonce = randomBytes(16)
  const tag = argon2Sync('argon2id', { message: password, nonce, tagLength: 32, ...LEAST_COST })
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${LEAST_COST.memory},t=${LEAST_COST.passes},p=${LEAST_COST.parallelism}$${salt}$${hash}`
}
