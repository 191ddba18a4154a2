import { randomUUID } from 'node:crypto'
import { services } from './container.ts'
import { query } from './database/database.ts'
import { log } from './observe/log.ts'
import { untraced } from './observe/tracing.ts'
import { asService } from './turns/caller.ts'

declare module './container.ts' {
  interface Services {
    leases: Leases
  }
}

/** Rows that one process at a time works on. Its table has the indexed column `lease_id UUID`, and `leased_until TIMESTAMPTZ`. */
export interface LeaseKind {
  table: string
  /** SQL: the rows of one lease, by parameters from $1. */
  rows: string
}

export interface KeepOptions {
  /** End of the renewals by `performance.now()`; undefined: until the lease is dropped. */
  until?: number | undefined
  /** Called with each renewal that does not find the lease: it was lost. */
  onLost?: (() => void) | undefined
}

/** Milliseconds after which others may take what a killed process has leased: four renewals, because pauses of a few seconds are common. */
export const LEASE_MS = 10_000
const RENEW_MS = LEASE_MS / 4
/** SQL: the end of a lease that begins or is renewed now. */
export const LEASE_END = `service_now() + interval '${LEASE_MS} milliseconds'`

/**
 * Returns the number of a new lease. It is the fence: every write of the work requires it in `lease_id`, so a process that lost its lease,
 * because it was suspended or cut off from the database, changes nothing.
 */
export const newLease = (): string => randomUUID()

/** Takes rows under `lease` unless another lease holds them. Resolves with `absent` when there are none. */
export async function takeLease({ table, rows }: LeaseKind, lease: string, values: unknown[]): Promise<'taken' | 'held' | 'absent'> {
  const sql = `
    WITH taken AS (
      UPDATE ${table} SET lease_id = $${values.length + 1}, leased_until = ${LEASE_END}
      WHERE ${rows} AND (leased_until IS NULL OR leased_until <= service_now()) RETURNING 1)
    SELECT CASE WHEN EXISTS (SELECT FROM taken) THEN 'taken' WHEN EXISTS (SELECT FROM ${table} WHERE ${rows}) THEN 'held'
      ELSE 'absent' END AS state`
  const [row] = await query<{ state: 'taken' | 'held' | 'absent' }>(`take-${table}`, sql, [...values, lease])
  return row?.state ?? 'absent'
}

/** Returns what a lease holds to others. A lease that was lost returns nothing, and a renewal that arrives later finds nothing. */
export async function releaseLease({ table }: LeaseKind, lease: string): Promise<void> {
  await query(`release-${table}`, `UPDATE ${table} SET lease_id = NULL, leased_until = NULL WHERE lease_id = $1`, [lease])
}

/** The leases that a process keeps. */
export class Leases {
  private readonly kept = new Map<string, KeepOptions & { table: string }>()

  /** Keeps a lease until the returned function is called. A failed renewal is repeated with the next one. */
  keep({ table }: Pick<LeaseKind, 'table'>, lease: string, options: KeepOptions = {}): () => void {
    this.kept.set(lease, { table, ...options })
    return () => void this.kept.delete(lease)
  }

  /** Renews every lease once, those of a table in one statement. */
  async renew(): Promise<void> {
    const now = performance.now()
    for (const [lease, { until = Infinity }] of this.kept) if (until <= now) this.kept.delete(lease)
    const byTable = Map.groupBy(this.kept.keys(), (lease) => this.kept.get(lease)?.table as string)
    await Promise.all([...byTable].map(([table, leases]) => this.renewIn(table, leases, now)))
  }

  private async renewIn(table: string, leases: string[], now: number): Promise<void> {
    const terms = leases.map((lease) => Math.min(LEASE_MS, (this.kept.get(lease)?.until ?? Infinity) - now))
    try {
      const rows = await query<{ lease: string }>(`renew-${table}`, renewal(table), [leases, terms])
      const found = new Set(rows.map(({ lease }) => lease))
      for (const lease of leases) if (!found.has(lease)) this.kept.get(lease)?.onLost?.()
    } catch (error) {
      log().debug({ err: (error as Error).message, table }, 'leases could not be renewed')
    }
  }
}

/**
 * Rows that a transaction changes now wait for the next renewal: two transactions never wait for each other. A renewal that a crash of the
 * database loses is repeated, so the commit need not wait for the disk.
 */
const renewal = (table: string) => `
  WITH unlocked AS (
    SELECT lease_id FROM ${table} WHERE lease_id = ANY ($1::uuid[]) AND leased_until IS NOT NULL
    ORDER BY lease_id FOR NO KEY UPDATE SKIP LOCKED),
  renewed AS (
    UPDATE ${table} AS t SET leased_until = service_now() + ms * interval '1 millisecond'
    FROM unnest($1::uuid[], $2::float8[]) AS term (lease, ms)
    WHERE t.lease_id = lease AND lease IN (SELECT lease_id FROM unlocked))
  SELECT lease_id::text AS lease
  FROM ${table}, (SELECT set_config('synchronous_commit', 'off', true)) AS quick
  WHERE lease_id = ANY ($1::uuid[]) AND leased_until IS NOT NULL`

/** The leases of this process, which one timer renews, as the process's own work. */
export const leases = () => services().leases

export function makeLeases(): Leases {
  const made = new Leases()
  asService(() => untraced(() => setInterval(() => void made.renew(), RENEW_MS).unref()))
  return made
}
