import { mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { DATABASE_PORTS, freePort } from '../config/free-port.ts'
import { storedSecret } from '../config/secrets.ts'
import { log } from '../observe/log.ts'
import { postgresBin } from './binaries.ts'
import { type Cluster, initialise, isInitialised } from './cluster.ts'
import { postgresIdentity } from './identity.ts'
import { makeRoles, OWNER_ROLE, rolePassword, SERVICE_ROLE } from './roles.ts'
import { ensureRunning, settled, stopServer } from './server.ts'

export interface EmbeddedPostgres {
  /** Connects as the service's role, which reads and writes rows. */
  url: string
  /** Connects as the role that owns the tables, for migrations. */
  ownerUrl: string
  /** Connects as the superuser, for tests and benchmarks that create databases. */
  superuserUrl: string
  /** Whether it was already running (its last owner was killed) and this process took it over. */
  attached: boolean
  /** Fast shutdown: sessions end, and everything acknowledged is on disk. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  database?: string
  /** false only for throwaway test clusters: no fsync. */
  durable?: boolean
  maxConnections?: number
  /** true lets several processes use it at once (concurrent test runs); the last one to leave stops it. */
  shared?: boolean
  /** Aborts the start and stops everything started so far. */
  signal?: AbortSignal
}

/**
 * Starts (or takes over) the PostgreSQL in `dataDir`/postgres, creating it on first use. While this process owns it, it restarts a server
 * that ends, at the same address.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, database = 'reelgate', durable = true, maxConnections = 200, shared = false, signal } = options
  const bin = postgresBin()
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const password = storedSecret('postgres-password', dataDir)
  const dir = join(realpathSync(dataDir), 'postgres')
  const cluster: Cluster = { dir, bin, durable, identity: postgresIdentity(dir, bin) }
  await initialise(cluster, password, signal)

  // initdb writes the machine's time zone into the configuration.
  const settings = [
    'timezone=UTC',
    'log_timezone=UTC',
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${maxConnections}`,
  ]
  if (!durable) settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off')
  const { pid, port, attached } = await ensureRunning(cluster, { settings, port: () => freePort(DATABASE_PORTS), signal })
  const address = (name: string, role?: string) => addressOf({ port, password, name, role })
  const owner = new Owner({ cluster, settings, port, address: address('postgres'), shared }, pid)
  try {
    await owner.take()
    await owner.createDatabase(database, password)
    signal?.throwIfAborted()
  } catch (error) {
    if (owner.held || !attached) await owner.leave()
    throw explained(error as Error, dataDir)
  }
  const urls = {
    url: address(database, SERVICE_ROLE),
    ownerUrl: address(database, OWNER_ROLE),
    superuserUrl: address(database),
  }
  return { ...urls, attached, stop: () => owner.leave() }
}

function addressOf({ port, password, name, role }: { port: number; password: string; name: string; role?: string | undefined }): string {
  const user = role ? `${role}:${rolePassword(role, password)}` : `postgres:${password}`
  return `postgresql://${user}@127.0.0.1:${port}/${name}`
}

/**
 * Returns the embedded database for an operator's command: a running service's, which keeps it, or one started just for the command.
 * Errors: in words for the operator if `dataDir` has no database yet.
 */
export async function attachToEmbeddedPostgres(dataDir: string): Promise<Pick<EmbeddedPostgres, 'url' | 'ownerUrl' | 'stop'>> {
  if (!isInitialised(join(dataDir, 'postgres')))
    throw new Error(
      `${dataDir} contains no Reelgate data. Start Reelgate once (npm start), or set DATA_DIR or DATABASE_URL to the existing installation.`,
    )
  const running = await settled({ dir: join(realpathSync(dataDir), 'postgres') })
  if (!running) return startEmbeddedPostgres({ dataDir })
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim()
  const address = (role: string) => addressOf({ port: running.port, password, name: 'reelgate', role })
  return { url: address(SERVICE_ROLE), ownerUrl: address(OWNER_ROLE), stop: async () => {} }
}

/** Advisory lock of the process that owns the data, so that a second Reelgate on the same folder reports this and exits. */
const OWNER_LOCK = 72_707_370

/** Advisory lock while roles and databases are created. */
const ROLES_LOCK = 72_707_371

class NotOurs extends Error {}

/** Owns a running server through an advisory lock, and detects the server's end when that connection ends. */
class Owner {
  private pid: number
  private readonly server: { cluster: Cluster; settings: string[]; port: number; address: string; shared: boolean }
  private client: pg.Client | undefined
  private readonly leaving = new AbortController()
  private reviving: Promise<void> | undefined

  constructor(server: Owner['server'], pid: number) {
    this.server = server
    this.pid = pid
  }

  get held(): boolean {
    return this.client !== undefined
  }

  /** Rejects with NotOurs if another process holds the lock. */
  async take(): Promise<void> {
    const { address, shared } = this.server
    const client = new pg.Client({ connectionString: address, application_name: 'reelgate owner', keepAlive: true })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ ours: boolean }>(`SELECT pg_try_advisory_lock${shared ? '_shared' : ''}($1) AS ours`, [
      OWNER_LOCK,
    ])
    if (!rows[0]?.ours) {
      await client.end()
      throw new NotOurs()
    }
    this.client = client
    client.on('end', () => {
      this.client = undefined
      if (!this.leaving.signal.aborted) this.reviving = this.revive()
    })
  }

  /** Creates the roles and the database unless they exist. The database belongs to the owner's role. */
  async createDatabase(name: string, password: string): Promise<void> {
    const { client } = this
    if (!client) return
    // Test runs share a server, and two that start together would create the same role.
    await client.query('SELECT pg_advisory_lock($1)', [ROLES_LOCK])
    try {
      await makeRoles(client, password)
      const exists = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
      if (exists.rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} OWNER ${OWNER_ROLE}`)
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [ROLES_LOCK])
    }
  }

  /** Stops the server, unless others share it. */
  async leave(): Promise<void> {
    this.leaving.abort()
    await this.reviving
    if (this.server.shared && !(await this.isLast())) return
    this.client?.end().catch(() => {})
    await stopServer(this.server.cluster, this.pid)
  }

  private async isLast(): Promise<boolean> {
    const answer = await this.client
      ?.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [OWNER_LOCK])
      .catch(() => undefined)
    await this.client?.end()
    return answer?.rows[0]?.last === true
  }

  private async revive(): Promise<void> {
    const { cluster, settings, port } = this.server
    const { signal } = this.leaving
    for (let logged = false; !signal.aborted; logged = true) {
      try {
        const { pid } = await ensureRunning(cluster, { settings, port: async () => port, signal })
        this.pid = pid
        await this.take()
        return log().warn('PostgreSQL stopped or closed the connection; it is running again')
      } catch (error) {
        if (error instanceof NotOurs) return log().error('another process took over the embedded PostgreSQL')
        if (!logged && !signal.aborted) log().error({ err: (error as Error).message }, 'PostgreSQL stopped; restarting it')
        await wait(500, undefined, { signal }).catch(() => {})
      }
    }
  }
}

function explained(error: Error & { code?: string }, dataDir: string): Error {
  if (error instanceof NotOurs)
    return new Error(`Another Reelgate is already running on ${dataDir}. Stop it first, or choose another DATA_DIR.`)
  if (error.code !== '28P01') return error
  return new Error(`The embedded database rejects the password in ${join(dataDir, 'postgres-password')}. Restore that file from a backup.`)
}
