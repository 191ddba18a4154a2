import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { childEnvironment } from '../env.ts'
import { storedSecret } from '../secrets.ts'
import { postgresBin } from './binaries.ts'
import { type Identity, postgresIdentity } from './identity.ts'

export interface EmbeddedPostgres {
  url: string
  /** Whether it was already running (its last owner was killed) and was taken over. */
  attached: boolean
  /** Fast shutdown: sessions end, everything acknowledged is on disk. */
  stop(): Promise<void>
}

/** Held for as long as a Reelgate owns the data, so that a second one on the same folder says so and leaves. */
const OWNER_LOCK = 72_707_370

export interface EmbeddedOptions {
  dataDir: string
  database?: string
  /** false only for throw-away test clusters: no fsync. */
  durable?: boolean
  maxConnections?: number
  /** true lets several processes use it at once (test runs side by side); the last one to leave stops it. */
  shared?: boolean
}

/** Starts (or takes over) the PostgreSQL that lives in `dataDir`/postgres, creating it on first use. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, database = 'reelgate', durable = true, maxConnections = 200, shared = false } = options
  const bin = postgresBin()
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const password = storedSecret('postgres-password')
  const cluster = resolve(dataDir, 'postgres')
  const identity = postgresIdentity(cluster)
  if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(bin, cluster, identity, password)

  let running = runningServer(cluster)
  const attached = running !== undefined
  if (!running) {
    const port = await freePort()
    const settings = [`-p ${port}`, '-c listen_addresses=127.0.0.1', '-c unix_socket_directories=', `-c max_connections=${maxConnections}`]
    if (!durable) settings.push('-c fsync=off', '-c synchronous_commit=off', '-c full_page_writes=off')
    await startServer(bin, cluster, identity, settings.join(' '))
    running = runningServer(cluster)
    if (!running) throw new Error(`PostgreSQL started but left no pid; see ${join(cluster, 'server.log')}`)
  }

  const { pid, port } = running
  const address = (name: string) => `postgresql://postgres:${password}@127.0.0.1:${port}/${name}`
  const owner = new pg.Client({ connectionString: address('postgres') })
  await owner.connect()
  // The server going down under us is reported by whoever needs it next; this connection only holds the lock.
  owner.on('error', () => {})
  const lock = await owner.query<{ ours: boolean }>(`SELECT pg_try_advisory_lock${shared ? '_shared' : ''}($1) AS ours`, [OWNER_LOCK])
  if (!lock.rows[0]?.ours) {
    await owner.end()
    throw new Error(`Another Reelgate is already running on ${dataDir}. Stop it first, or choose another DATA_DIR.`)
  }
  const exists = await owner.query('SELECT 1 FROM pg_database WHERE datname = $1', [database])
  if (exists.rowCount === 0) await owner.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`)

  return {
    url: address(database),
    attached,
    async stop() {
      const { rows } = await owner.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [OWNER_LOCK])
      await owner.end()
      if (!rows[0]?.last) return
      await stopServer(pid)
    },
  }
}

async function initialise(bin: string, cluster: string, identity: Identity, password: string): Promise<void> {
  // A folder without PG_VERSION is an initialisation that was interrupted; initdb wants it empty.
  rmSync(cluster, { recursive: true, force: true })
  mkdirSync(cluster, { mode: 0o700 })
  const passwordFile = `${cluster}.pw`
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (identity.uid !== undefined) for (const path of [cluster, passwordFile]) chownSync(path, identity.uid, identity.gid ?? identity.uid)
  try {
    const { code, output } = await run(identity, join(bin, 'initdb'), [
      ...['-D', cluster, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--no-instructions'],
    ])
    if (code !== 0) throw new Error(`PostgreSQL could not be initialised in ${cluster}:\n${output}`)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Right after a killed postmaster its children still hold the cluster, so a refused start is tried again for a while. */
async function startServer(bin: string, cluster: string, identity: Identity, settings: string): Promise<void> {
  const logFile = join(cluster, 'server.log')
  for (let attempt = 1; ; attempt++) {
    const { code, output } = await run(identity, join(bin, 'pg_ctl'), [
      '-D',
      cluster,
      '-l',
      logFile,
      '-o',
      settings,
      '-w',
      '-t',
      '60',
      'start',
    ])
    // Refused because another process has just started it: then it is there all the same.
    if (code === 0 || runningServer(cluster)) return
    if (attempt === 20) {
      const tail = existsSync(logFile) ? readFileSync(logFile, 'utf8').split('\n').slice(-12).join('\n') : ''
      throw new Error(`PostgreSQL did not start in ${cluster}:\n${output}\n${tail}`)
    }
    await wait(500)
  }
}

/** Pid and port of a live postmaster on this cluster, from its own pid file. */
function runningServer(cluster: string): { pid: number; port: number } | undefined {
  const file = join(cluster, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').split('\n')
  const pid = Number(lines[0])
  return alive(pid) && lines[7]?.trim() === 'ready' ? { pid, port: Number(lines[3]) } : undefined
}

async function stopServer(pid: number): Promise<void> {
  if (alive(pid)) process.kill(pid, 'SIGINT')
  for (let waited = 0; alive(pid); waited += 50) {
    if (waited === 15_000) process.kill(pid, 'SIGQUIT')
    await wait(50)
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function run(identity: Identity, command: string, args: string[]): Promise<{ code: number | null; output: string }> {
  const [program, ...rest] = [...identity.prefix, command, ...args] as [string, ...string[]]
  const { uid, gid } = identity
  // A session of its own: Ctrl-C in the terminal must reach us and not the database, which stops last.
  const child = spawn(program, rest, {
    uid,
    gid,
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...childEnvironment(), LC_ALL: 'C' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      // The postmaster inherits the pipes, so 'close' would never come.
      for (const stream of [child.stdout, child.stderr]) stream.destroy()
      resolve({ code, output })
    })
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
