import { accessSync, constants, mkdirSync } from 'node:fs'
import { env } from './env.ts'

/** Makes DATA_DIR unless it is there. Throws in words for the operator when it cannot be used. */
export function openDataDir(): string {
  const { DATA_DIR } = env()
  try {
    mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
    accessSync(DATA_DIR, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its way' : `this user may not write there (${code})`
    throw new Error(`DATA_DIR ${DATA_DIR} cannot be used: ${why}. Set DATA_DIR to a folder of your own.`)
  }
  return DATA_DIR
}
