import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { freePort } from '../../platform/config/free-port.ts'

/** A primary and a standby of the distribution's PostgreSQL. No change is acknowledged before the standby has it. */
export interface PostgresPair {
  /** Ports of the two servers. */
  ports: [number, number]
  /** A URL that names both, the standby first. */
  url: string
  /** Returns the current primary's port. */
  primaryPort(): number
  /** Returns the current primary's process ID. */
  primaryPid(): number
  /** Restarts the primary; its connections end. */
  restart(): Promise<void>
  /** Ends the primary like a power cut. */
  stopPrimary(): Promise<void>
  /** Makes the standby the primary. It waits for no standby until `addStandby`. */
  promote(): Promise<void>
  /** Copies the primary to the server that was stopped, which becomes its standby. */
  addStandby(): Promise<void>
}

const versions = '/usr/lib/postgresql'

/** Returns the programs of the distribution's PostgreSQL, which has pg_basebackup; prints a line and returns undefined without it. */
export function findPostgres(): string | undefined {
  const found = existsSync(versions)
    ? readdirSync(versions)
        .map((version) => join(versions, version, 'bin'))
        .findLast((folder) => existsSync(join(folder, 'pg_basebackup')))
    : undefined
  if (!found) process.stderr.write("The distribution's PostgreSQL is not installed: failovers are not tested.\n")
  return found
}

/** PostgreSQL refuses to run as root. */
const asRoot = process.getuid?.() === 0
const execute = promisify(execFile)

/** Servers that run, by folder; the programs are those that started them. */
const running = new Map<string, string>()
// Registered when the file is loaded: inside a test it would be too late.
afterAll(() => {
  for (const [folder, bin] of running) {
    for (const name of ['one', 'two'])
      spawnSync(join(bin, 'pg_ctl'), ['-D', join(folder, name), '-m', 'immediate', 'stop'], asRoot ? { uid: postgresUser() } : {})
    rmSync(folder, { recursive: true, force: true })
  }
})

const postgresUser = () => Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }))

/** Starts both servers in a temporary folder; they end with the test file. `options` are further arguments of both. */
export async function startPostgresPair(bin: string, options = ''): Promise<PostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-postgres-'))
  if (asRoot) chownSync(folder, postgresUser(), -1)
  running.set(folder, bin)
  const ports: [number, number] = [await freePort(), await freePort()]
  const folders = [join(folder, 'one'), join(folder, 'two')] as const
  let primary = 0
  const dir = (at: number) => folders[at] as string

  const run = async (program: string, ...args: string[]) => {
    const command = join(bin, program)
    const [file, ...rest] = asRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', command] : [command]
    await execute(file as string, [...rest, ...args], { cwd: '/' })
  }
  const start = (at: number) => {
    const all = `-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c port=${ports[at]} -c wal_retrieve_retry_interval=500ms ${options}`
    return run('pg_ctl', '-D', dir(at), '-w', '-l', `${dir(at)}.log`, '-o', all, 'start')
  }
  const query = (at: number, sql: string) =>
    run('psql', '-h', '127.0.0.1', '-p', String(ports[at]), '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-q', '-c', sql)
  /** Makes the primary wait for standbys, or not. */
  const waitForStandby = async (name: '*' | '') => {
    await query(primary, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
    await query(primary, 'SELECT pg_reload_conf()')
  }
  const addStandby = async () => {
    const standby = 1 - primary
    rmSync(dir(standby), { recursive: true, force: true })
    const from = ['-h', '127.0.0.1', '-p', String(ports[primary]), '-U', 'postgres']
    await run('pg_basebackup', ...from, '-D', dir(standby), '-R', '-X', 'stream', '-c', 'fast')
    await start(standby)
    await waitForStandby('*')
  }

  await run('initdb', '-D', dir(0), '-A', 'trust', '-U', 'postgres')
  await start(0)
  await addStandby()
  return {
    ports,
    url: `postgres://postgres@127.0.0.1:${ports[1]},127.0.0.1:${ports[0]}/postgres`,
    primaryPort: () => ports[primary] as number,
    primaryPid: () => Number(readFileSync(join(dir(primary), 'postmaster.pid'), 'utf8').split('\n')[0]),
    async restart() {
      await run('pg_ctl', '-D', dir(primary), '-w', '-m', 'fast', 'stop')
      await start(primary)
    },
    stopPrimary: () => run('pg_ctl', '-D', dir(primary), '-m', 'immediate', 'stop'),
    async promote() {
      primary = 1 - primary
      await run('pg_ctl', '-D', dir(primary), '-w', 'promote')
      await waitForStandby('')
    },
    addStandby,
  }
}
