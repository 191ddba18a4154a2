import { argon2Sync } from 'node:crypto'

/** Parameters of argon2id, in the form of `crypto.argon2`. */
export interface Argon2Parameters {
  message: string
  nonce: Buffer
  memory: number
  passes: number
  parallelism: number
  tagLength: number
}

/** Computes argon2id, which takes tens of milliseconds on purpose. Runs in a thread (`argon2id`). */
export const computeArgon2id = (parameters: Argon2Parameters): Uint8Array => argon2Sync('argon2id', parameters)
