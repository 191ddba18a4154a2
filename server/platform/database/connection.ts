import { Socket } from 'node:net'
import pg from 'pg'
import { hostsOf } from './database-url.ts'

/** Longest time in milliseconds that a host may take to say whether it is the primary. */
const ASK_MS = 2_000

/**
 * What every session relies on, however the machine, the database or the role is configured. Prisma writes and reads times without a zone,
 * `pg` reads dates only in ISO form, and regular expressions in SQL contain backslashes. PgBouncer passes these on.
 */
const SESSION = '-c TimeZone=UTC -c DateStyle=ISO -c standard_conforming_strings=on'

/** What a pooler refuses to pass on; `checkPooler` compares it. Statements that waited for a lock must see what the other one committed. */
export const DIRECT = { default_transaction_isolation: 'read committed', search_path: 'public' } as const

const OF_DIRECT = Object.entries(DIRECT).map(([name, value]) => ` -c ${name}=${value.replace(' ', '\\ ')}`)

interface Connection {
  connectionString: string
  options: string
  stream?: () => Socket
}

/**
 * Returns the options of a connection to a database URL, whose session has the settings above, those of `DIRECT` only without a pooler. With
 * several hosts, each new connection goes to the one that accepts changes, so that a failover needs no restart.
 */
export function connectionTo(url: string, { pooled = false } = {}): Connection {
  const hosts = hostsOf(url)
  const to = withSettings(hosts[0], pooled ? SESSION : SESSION + OF_DIRECT.join(''))
  return hosts.length === 1 ? to : { ...to, stream: () => new PrimarySocket(hosts) }
}

/** Adds session settings to the ones a URL has; `pg` would use only the URL's. */
function withSettings(url: string, settings: string): Connection {
  const [place = '', query] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  const given = parameters.get('options')
  if (given === null) return { connectionString: url, options: settings }
  parameters.delete('options')
  return { connectionString: `${place}?${parameters}`, options: `${given} ${settings}` }
}

/** A socket that connects to the primary among several hosts, whatever address it is given. */
class PrimarySocket extends Socket {
  private readonly hosts: readonly string[]

  constructor(hosts: readonly string[]) {
    super()
    this.hosts = hosts
  }

  override connect(): this {
    primaryAmong(this.hosts).then(
      ({ host, port }) => this.destroyed || super.connect(port, host),
      (error: Error) => this.destroy(error),
    )
    return this
  }
}

interface Place {
  host: string
  port: number
}

/** Searches in progress. Connections that a pool opens at once share one. */
const searches = new Map<string, Promise<Place>>()

/**
 * Returns the host that accepts changes. Errors: one error with the code of the first host that has one, and all hosts' errors in `errors`.
 * A host that accepts no changes has the code 25006.
 */
export function primaryAmong(hosts: readonly string[]): Promise<Place> {
  const name = hosts.join()
  const search =
    searches.get(name) ??
    Promise.any(hosts.map(askWhetherPrimary))
      .catch(explain)
      .finally(() => searches.delete(name))
  searches.set(name, search)
  return search
}

/** Errors: of the connection, or 25006 for a server that accepts no changes. */
async function askWhetherPrimary(url: string): Promise<Place> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ closed: boolean }>(
      `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS closed`,
    )
    if (rows[0]?.closed) throw Object.assign(new Error(`${client.host}:${client.port} accepts no changes`), { code: '25006' })
    return { host: client.host, port: client.port }
  } finally {
    await client.end().catch(() => {})
  }
}

/** Reports the hosts' errors as one, with a code that callers recognize as an unavailable database. */
function explain(error: AggregateError): never {
  const errors = error.errors as NodeJS.ErrnoException[]
  const message = `no host of the database URL is a primary: ${errors.map((one) => one.message || one.code).join('; ')}`
  throw Object.assign(new Error(message), { code: errors.find(({ code }) => code)?.code ?? 'ECONNREFUSED', errors })
}
