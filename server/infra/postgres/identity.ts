import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** How to run PostgreSQL's programs: words to put before the command, or a user to become. */
export interface Identity {
  prefix: string[]
  uid?: number
  gid?: number
}

const NOBODY = 65_534

/**
 * PostgreSQL refuses to run as root, and initdb refuses a uid without a passwd entry. A user namespace that maps us to
 * "nobody" satisfies both without touching permissions on the way to the data; where namespaces are not allowed, root
 * becomes the owner of the data folder (or the `postgres` user) instead.
 */
export function postgresIdentity(dataDir: string): Identity {
  const root = process.getuid?.() === 0
  if (!root && hasPasswdEntry()) return { prefix: [] }
  const made = existsSync(join(dataDir, 'PG_VERSION')) ? statSync(dataDir) : undefined
  const namespace = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--']
  const oursByNamespace = !made || made.uid === process.getuid?.()
  if (oursByNamespace && spawnSync(namespace[0] as string, [...namespace.slice(1), 'true']).status === 0) return { prefix: namespace }
  if (!root) throw new Error('This user has no passwd entry, so PostgreSQL will not start here. Set DATABASE_URL, or run as a named user.')
  if (made && made.uid !== 0) return { prefix: [], uid: made.uid, gid: made.gid }
  const user = spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' })
  const group = spawnSync('id', ['-g', 'postgres'], { encoding: 'utf8' })
  return user.status === 0 ? { prefix: [], uid: Number(user.stdout), gid: Number(group.stdout) } : { prefix: [], uid: NOBODY, gid: NOBODY }
}

function hasPasswdEntry(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}
