import { hkdfSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from './env.ts'
import { processWide } from './process-wide.ts'

/** A secret kept in DATA_DIR: made once, readable by its owner alone. */
export function storedSecret(name: string): string {
  const { DATA_DIR } = env()
  const file = join(DATA_DIR, name)
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  try {
    // 'wx': of two processes starting together, one writes and both read the same value.
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8').trim()
}

/** A 32-byte key for one purpose, derived (HKDF-SHA-256) from the root secret. */
export function derivedKey(purpose: string): Buffer {
  const root = processWide('root-secret', () => env().REELGATE_SECRET ?? storedSecret('secret'))
  return Buffer.from(hkdfSync('sha256', root, 'reelgate', purpose, 32))
}
