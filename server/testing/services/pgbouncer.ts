import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../platform/config/free-port.ts'
import { isOlder } from '../../platform/config/version.ts'
import { atFileEnd } from '../media/file-end.ts'

/** Returns the version of the installed PgBouncer; prints a line and returns undefined without one. */
export function pgBouncerVersion(): string | undefined {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
  const found = /PgBouncer (\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1]
  if (!found) process.stderr.write('pgbouncer is not installed: connection poolers are not tested.\n')
  return found
}

/** Returns whether a version of PgBouncer can keep prepared statements in transaction mode. */
export const keepsStatements = (version: string) => !isOlder(version, '1.21.0')

/** Starts PgBouncer in transaction mode in front of a database; returns its URL of the database. It ends with the test file. */
export async function startPgBouncer(databaseUrl: string, options: { maxPreparedStatements?: number } = {}): Promise<string> {
  return (await startMovablePgBouncer(databaseUrl, options)).url
}

/** Starts PgBouncer as `startPgBouncer` does; `pointTo` makes it connect to another server from now on. */
export async function startMovablePgBouncer(
  databaseUrl: string,
  { maxPreparedStatements = 0 } = {},
): Promise<{ url: string; pointTo(databaseUrl: string): void }> {
  const { username, pathname } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-pgbouncer-'))
  chmodSync(folder, 0o755)
  const own = await freePort()
  const lines = [
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    // Its default of 15 s prolongs each outage of the database (docs/database.md).
    'server_login_retry = 1',
    // Unknown to older versions.
    ...(keepsStatements(pgBouncerVersion() ?? '0') ? [`max_prepared_statements = ${maxPreparedStatements}`] : []),
    // It refuses to run as root.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
  ]
  const file = join(folder, 'pgbouncer.ini')
  const write = (to: string) => writeFileSync(file, `${[...lines, '[databases]', serverOf(to)].join('\n')}\n`)
  write(databaseUrl)
  const child = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (part) => (said += part))
  let ended = false
  child.once('close', () => (ended = true))
  atFileEnd(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `postgresql://${username}@127.0.0.1:${own}${pathname}`
  while (!(await isUp(url))) {
    if (ended) throw new Error(`pgbouncer ended: ${said}`)
    await wait(20)
  }
  return {
    url,
    pointTo(to) {
      write(to)
      child.kill('SIGHUP')
    },
  }
}

function serverOf(databaseUrl: string): string {
  const { hostname, port, username, password } = new URL(databaseUrl)
  const secret = password ? ` password=${decodeURIComponent(password)}` : ''
  return `* = host=${hostname} port=${port} user=${decodeURIComponent(username)}${secret}`
}

async function isUp(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
