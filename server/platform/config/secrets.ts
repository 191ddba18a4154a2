import { hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, constants, copyFileSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { services } from '../container.ts'
import { sameText, sign } from '../secrets/crypto.ts'
import { env } from './config.ts'

/** Returns a secret stored as a file in `folder` (DATA_DIR), created once and readable only by its owner. */
export function storedSecret(name: string, folder = env().DATA_DIR): string {
  const file = join(folder, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return read(file) ?? make(file)
}

/**
 * Writes the complete file to disk before naming it: a kill never leaves an empty secret, and two processes that start together read the
 * same one.
 */
function make(file: string): string {
  const unfinished = `${file}.${process.pid}`
  // Without the comment the build would include every file below the project.
  const opened = openSync(/* turbopackIgnore: true */ unfinished, 'w', 0o600)
  writeFileSync(opened, randomBytes(32).toString('hex'))
  fsyncSync(opened)
  closeSync(opened)
  try {
    linkSync(unfinished, file)
  } catch (error) {
    // Some network file systems do not support hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') copyDurably(unfinished, file)
  } finally {
    rmSync(unfinished)
  }
  return read(file) as string
}

function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  const opened = openSync(/* turbopackIgnore: true */ to, 'r+')
  fsyncSync(opened)
  closeSync(opened)
}

function read(file: string): string | undefined {
  try {
    const secret = readFileSync(file, 'utf8').replaceAll('\0', '').trim()
    if (secret !== '') return secret
    throw new Error(`The file ${file} is empty. Restore it from a backup, or remove it if this installation has no data yet.`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/** Returns whether a root secret exists, without generating one. */
export const hasRootSecret = (): boolean => env().REELGATE_SECRET !== undefined || read(join(env().DATA_DIR, 'secret')) !== undefined

/** Returns the root secrets. The first signs and seals; the second is also accepted while it is being replaced. */
export function roots(): [string, ...string[]] {
  const { REELGATE_SECRET, REELGATE_SECRET_PREVIOUS } = env()
  const first = REELGATE_SECRET ?? storedSecret('secret')
  return REELGATE_SECRET_PREVIOUS && REELGATE_SECRET_PREVIOUS !== first ? [first, REELGATE_SECRET_PREVIOUS] : [first]
}

type DerivedKeys = readonly [Buffer, ...Buffer[]]

declare module '../container.ts' {
  interface Services {
    /** By purpose. */
    derivedKeys: Map<string, DerivedKeys>
  }
}

export const makeDerivedKeys = () => new Map<string, DerivedKeys>()

/**
 * Returns the 32-byte keys for one purpose, derived (HKDF-SHA-256) from each root secret; the same Buffers each time. The first signs and
 * seals, all verify and open.
 */
export function derivedKeys(purpose: string): DerivedKeys {
  const known = services().derivedKeys.get(purpose)
  if (known) return known
  const derive = (root: string) => Buffer.from(hkdfSync('sha256', root, 'reelgate', purpose, 32))
  const [first, ...others] = roots()
  const derived: DerivedKeys = [derive(first), ...others.map(derive)]
  services().derivedKeys.set(purpose, derived)
  return derived
}

/**
 * Returns the key that signs and seals for one purpose. To verify, use `derivedKeys` or `isSignedFor`, so that the root secret can be
 * rotated.
 */
export const derivedKey = (purpose: string): Buffer => derivedKeys(purpose)[0]

/**
 * Purposes of signatures that grant access to an account's content. `signContent` (server/modules/audit/content-access.ts) makes them, for
 * a recipient who has proven a right to it.
 */
export type ContentPurpose = 'media-permit' | 'picture-permit' | 'download-permit' | 'key-url'

/** Signs a text for another purpose, like `sign` (server/platform/secrets/crypto.ts). */
export const signFor = <Purpose extends string>(purpose: Purpose extends ContentPurpose ? never : Purpose, text: string): string =>
  sign(derivedKey(purpose), text)

/** Returns whether `signFor` made a signature, under the current or the previous root secret. Compares in constant time. */
export const isSignedFor = (purpose: string, text: string, signature: string): boolean =>
  derivedKeys(purpose).some((key) => sameText(signature, sign(key, text)))
