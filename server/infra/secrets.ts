import { hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, constants, copyFileSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from './env.ts'
import { processWide } from './process-wide.ts'

/** A secret kept as a file in `folder` (DATA_DIR): made once, readable by its owner alone. */
export function storedSecret(name: string, folder = env().DATA_DIR): string {
  const file = join(folder, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return read(file) ?? make(file)
}

/** Whole on disk before it gets its name: a kill never leaves an empty secret, and of two processes starting together both read one. */
function make(file: string): string {
  const unfinished = `${file}.${process.pid}`
  // The build would take every file below the project for what this may open.
  const opened = openSync(/* turbopackIgnore: true */ unfinished, 'w', 0o600)
  writeFileSync(opened, randomBytes(32).toString('hex'))
  fsyncSync(opened)
  closeSync(opened)
  try {
    linkSync(unfinished, file)
  } catch (error) {
    // Some network file systems know no hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') copyFileSync(unfinished, file, constants.COPYFILE_EXCL)
  } finally {
    rmSync(unfinished)
  }
  return read(file) as string
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/** The 32-byte key for one purpose, derived (HKDF-SHA-256) from the root secret; the same Buffer each time. */
export function derivedKey(purpose: string): Buffer {
  return processWide(`derived-key ${purpose}`, () => {
    const root = env().REELGATE_SECRET ?? storedSecret('secret')
    return Buffer.from(hkdfSync('sha256', root, 'reelgate', purpose, 32))
  })
}
