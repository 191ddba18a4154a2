import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { env } from './env.ts'

/** Makes DATA_DIR unless it is there. Throws in words for the operator when it cannot be used. */
export function openDataDir(): string {
  const { DATA_DIR } = env()
  try {
    makeFolder(DATA_DIR)
    accessSync(DATA_DIR, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const inTheWay = code === 'ENOTDIR' || statSync(DATA_DIR, { throwIfNoEntry: false })?.isFile()
    const why = inTheWay ? 'a file is in its way' : `this user may not write there (${code})`
    throw new Error(`DATA_DIR ${DATA_DIR} cannot be used: ${why}. Set DATA_DIR to a folder of your own.`)
  }
  return DATA_DIR
}

/** mkdirSync's own `recursive` never ends where the system knows of no such folder to make, as under /proc. */
function makeFolder(folder: string): void {
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
}
