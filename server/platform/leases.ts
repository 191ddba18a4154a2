import { randomUUID } from 'node:crypto'
import { services } from './container.ts'
import { query, type Tx } from './database/database.ts'
import { log } from './observe/log.ts'
import { untraced } from './observe/tracing.ts'
import { asService } from './turns/caller.ts'

declare module './container.ts' {
  interface Services {
    leases: Leases
  }
}

/** Rows that one process at a time works on. The table has the indexed column `lease_id UUID`, and `leased_until TIMESTAMPTZ`. */
export interface LeaseKind {
  table: string
  /** SQL: the rows of one lease, by parameters from $1. */
  rows: string
  /** SQL: what else taking assigns, with parameters after those of `rows`. */
  set?: string
  /** SQL: rows without this condition have lost their lease. */
  live?: string
  /** Whether a new lease takes rows from the previous one, even while that one is renewed. */
  yields?: boolean
}

export interface KeepOptions {
  /** When renewals end, by `performance.now()`. Undefined: when the lease is dropped. */
  until?: number | undefined
  /** Called with each renewal that does not find the lease, because it was lost. */
  onLost?: (() => void) | undefined
  /** Called with each renewal that the database did not respond to. */
  onFailed?: (() => void) | undefined
}

/** Milliseconds after which others may take a killed process's leases: four renewals, because pauses of a few seconds are common. */
export const LEASE_MS = 10_000
/** Milliseconds between renewals. */
export const RENEW_MS = LEASE_MS / 4
/** SQL: when a lease that starts or is renewed now ends. */
export const LEASE_END = `service_now() + interval '${LEASE_MS} milliseconds'`

/**
 * Returns the number of a new lease. It is the fence: every write of the work requires it in `lease_id`, so a process that lost its lease,
 * because it was suspended or cut off from the database, changes nothing.
 */
export const newLease = (): string => randomUUID()

/** Takes rows under `lease` unless another lease holds them. Resolves with `absent` if there are none. */
export async function takeLease(
  { table, rows, set, yields = false }: LeaseKind,
  lease: string,
  values: unknown[],
  on?: Tx,
): Promise<'taken' | 'held' | 'absent'> {
  const sql = `
    WITH taken AS (
      UPDATE ${table} SET lease_id = $${values.length + 1}, leased_until = ${LEASE_END}${set ? `, ${set}` : ''}
      WHERE ${rows} AND (${yields} OR leased_until IS NULL OR leased_until <= service_now()) RETURNING 1)
    SELECT CASE WHEN EXISTS (SELECT FROM taken) THEN 'taken' WHEN EXISTS (SELECT FROM ${table} WHERE ${rows}) THEN 'held'
      ELSE 'absent' END AS state`
  const [row] = await run<{ state: 'taken' | 'held' | 'absent' }>(`take-${table}`, sql, [...values, lease], on)
  return row?.state ?? 'absent'
}

/** Returns whether a lease still holds its rows. An overdue one does until another takes them. */
export async function isHeld({ table, live = 'true' }: LeaseKind, lease: string): Promise<boolean> {
  const sql = `SELECT 1 FROM ${table} WHERE lease_id = $1 AND leased_until IS NOT NULL AND ${live} LIMIT 1`
  return (await query(`held-${table}`, sql, [lease])).length > 0
}

export interface ReleaseOptions {
  /** Seconds until the work is due again. The table then has the column `due_at`. */
  afterSec?: number
  /** SQL: what else the return assigns, with parameters from $2. */
  set?: string
  values?: unknown[]
  on?: Tx
}

/** Returns what a lease holds to others. A lost lease returns nothing, and a later renewal finds nothing. */
export async function releaseLease({ table }: LeaseKind, lease: string, options: ReleaseOptions = {}): Promise<void> {
  const { afterSec, set, values = [], on } = options
  const all = afterSec === undefined ? [lease, ...values] : [lease, ...values, afterSec]
  const due = afterSec !== undefined && `due_at = service_now() + make_interval(secs => $${all.length})`
  const assigned = ['lease_id = NULL', 'leased_until = NULL', due, set].filter(Boolean).join(', ')
  await run('', `UPDATE ${table} SET ${assigned} WHERE lease_id = $1`, all, on)
}

const run = <Row extends Record<string, unknown>>(name: string, sql: string, values: unknown[], on: Tx | undefined): Promise<Row[]> =>
  on ? on.$queryRawUnsafe<Row[]>(sql, ...values) : query<Row>(name, sql, values)

type KeptKind = Pick<LeaseKind, 'table' | 'live'>

/** The leases that a process keeps. */
export class Leases {
  private readonly kept = new Map<string, KeepOptions & { kind: KeptKind }>()

  /** Keeps a lease until the returned function is called. Repeats a failed renewal with the next one. */
  keep(kind: KeptKind, lease: string, options: KeepOptions = {}): () => void {
    this.kept.set(lease, { kind, ...options })
    return () => void this.kept.delete(lease)
  }

  /** Renews every lease once, all of one kind in one statement, as the process's own work. */
  renew(): Promise<void> {
    return asService(() => untraced(() => this.renewAll()))
  }

  private async renewAll(): Promise<void> {
    const now = performance.now()
    for (const [lease, { until = Infinity }] of this.kept) if (until <= now) this.kept.delete(lease)
    const byKind = Map.groupBy(this.kept.keys(), (lease) => this.kept.get(lease)?.kind as KeptKind)
    await Promise.all([...byKind].map(([kind, leases]) => this.renewOf(kind, leases, now)))
  }

  private async renewOf(kind: KeptKind, leases: string[], now: number): Promise<void> {
    const { table } = kind
    const terms = leases.map((lease) => Math.min(LEASE_MS, (this.kept.get(lease)?.until ?? Infinity) - now))
    try {
      const rows = await query<{ lease: string }>(`renew-${table}`, renewal(kind), [leases, terms])
      const found = new Set(rows.map(({ lease }) => lease))
      for (const lease of leases) if (!found.has(lease)) this.kept.get(lease)?.onLost?.()
    } catch (error) {
      log().debug({ err: (error as Error).message, table }, 'could not renew leases')
      for (const lease of leases) this.kept.get(lease)?.onFailed?.()
    }
  }
}

/**
 * Rows that a transaction is changing wait for the next renewal, so that two transactions never wait for each other. A renewal lost in a
 * database crash is repeated, so the commit need not wait for the disk.
 */
const renewal = ({ table, live = 'true' }: KeptKind) => `
  WITH unlocked AS (
    SELECT lease_id FROM ${table} WHERE lease_id = ANY ($1::uuid[]) AND leased_until IS NOT NULL
    ORDER BY lease_id FOR NO KEY UPDATE SKIP LOCKED),
  renewed AS (
    UPDATE ${table} AS t SET leased_until = service_now() + ms * interval '1 millisecond'
    FROM unnest($1::uuid[], $2::float8[]) AS term (lease, ms)
    WHERE t.lease_id = lease AND lease IN (SELECT lease_id FROM unlocked))
  SELECT lease_id::text AS lease
  FROM ${table}, (SELECT set_config('synchronous_commit', 'off', true)) AS quick
  WHERE lease_id = ANY ($1::uuid[]) AND leased_until IS NOT NULL AND ${live}`

/** This process's leases, which one timer renews. */
export const leases = () => services().leases

export function makeLeases(): Leases {
  const made = new Leases()
  setInterval(() => void made.renew(), RENEW_MS).unref()
  return made
}
