import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { env } from './config.ts'

/** Only this user can access new files and folders: uploads, media and work folders hold members' videos. */
const OWNER_ALONE = 0o077

/**
 * Creates DATA_DIR unless it exists, and makes every new file of this process accessible only to its user. Removes other users' access to
 * existing entries, and reports this through `print`. Throws in words for the operator if the folder cannot be used.
 */
export function openDataDir(print: (line: string) => void): string {
  const { DATA_DIR } = env()
  process.umask(OWNER_ALONE)
  try {
    makeFolder(DATA_DIR)
    accessSync(DATA_DIR, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const inTheWay = code === 'ENOTDIR' || statSync(DATA_DIR, { throwIfNoEntry: false })?.isFile()
    const why = inTheWay ? 'a file exists at this path' : `this user cannot write to it (${code})`
    throw new Error(`DATA_DIR ${DATA_DIR} cannot be used: ${why}. Set DATA_DIR to a writable folder.`)
  }
  const closed = closeToOthers(DATA_DIR)
  if (closed.length > 0) print(`DATA_DIR     was accessible to other users of this machine; permissions restricted: ${closed.join(', ')}`)
  return DATA_DIR
}

/**
 * Returns the names of entries whose access it removed. Passing through DATA_DIR stays allowed, because the database's user needs it.
 * Leaves other users' entries alone: the embedded database protects its own folder, and a mounted volume belongs to its administrator.
 */
function closeToOthers(folder: string): string[] {
  const user = process.getuid?.()
  const close = (path: string, bits: number): boolean => {
    const { uid, mode } = lstatSync(path)
    if (uid !== user || !(mode & bits)) return false
    chmodSync(path, mode & ~bits & 0o777)
    return true
  }
  const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isSymbolicLink())
  const closed = inside.filter(({ name }) => close(join(folder, name), OWNER_ALONE)).map(({ name }) => name)
  return close(folder, 0o066) ? [folder, ...closed] : closed
}

/** Creates folders one by one: mkdirSync with `recursive` never returns where the system cannot create such a folder, as under /proc. */
function makeFolder(folder: string): void {
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
}
