import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { intake } from '../modules/transcoding/tasks/intake.ts'
import { env } from '../platform/config/config.ts'
import { services } from '../platform/container.ts'
import { probe, type Runner, renewProbe } from '../platform/database/database.ts'
import { migrationNames } from '../platform/database/migration-names.ts'
import { isLow } from '../platform/files/disk-space.ts'
import { storageLocation } from '../platform/storage/s3-client.ts'
import { storage } from '../platform/storage/storage.ts'

/**
 * Result of one check: messages for the operator by name, and the severity. `degraded` still serves; `failing` takes the process out of
 * service.
 */
export interface Finding {
  state: 'ok' | 'degraded' | 'failing'
  checks: Record<string, string>
}

/** Response of `/readyz`: 200 for `ok` and `degraded`, 503 for `unavailable`. */
export interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable'
  checks: Record<string, string>
}

/** The checks of `/readyz`, which run concurrently. A check that throws counts as failing and reports only its name. */
const CHECKS: Record<string, () => Promise<Finding>> = {
  database: () => checkDatabase(),
  storage: checkStorage,
  transcoding: checkTranscoding,
}

/** How many milliseconds a result is reused. */
const FRESH_MS = 1_000

interface Held {
  result: Promise<Readiness>
  /** Set when the result is available, by `performance.now()`. */
  at?: number
}
declare module '../platform/container.ts' {
  interface Services {
    readiness: { latest?: Held; phase?: 'starting' | 'draining' }
  }
}

/**
 * Returns whether this process can do its work. Concurrent calls, and calls within a second of a result, share one run of the checks. Never
 * throws.
 */
export function readiness(): Promise<Readiness> {
  const held = services().readiness
  if (held.phase) return Promise.resolve({ status: 'unavailable', checks: { process: held.phase } })
  const { latest } = held
  if (latest && (latest.at === undefined || performance.now() - latest.at < FRESH_MS)) return latest.result
  const next: Held = { result: runChecks() }
  held.latest = next
  void next.result.then(() => (next.at = performance.now()))
  return next.result
}

/** Reports from now on that this process is taking itself out of service. */
export function declareDraining(): void {
  services().readiness.phase = 'draining'
}

/** Reports that this process is not ready yet, until the returned function is called. */
export function declareStarting(): () => void {
  const held = services().readiness
  held.phase = 'starting'
  return () => {
    if (held.phase === 'starting') held.phase = undefined
  }
}

/** Responds to `/readyz` with the checks, and to `/healthz` with 200 while the process runs. */
export async function respondHealth(path: string, res: ServerResponse): Promise<void> {
  const { status, checks } = path === '/readyz' ? await readiness() : { status: 'ok', checks: { process: 'alive' } }
  const text = JSON.stringify({ status, checks })
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store' }
  res.writeHead(status === 'unavailable' ? 503 : 200, headers)
  res.end(text)
}

async function runChecks(): Promise<Readiness> {
  const found = await Promise.all(
    Object.entries(CHECKS).map(([name, check]) =>
      check().catch((): Finding => ({ state: 'failing', checks: { [name]: 'cannot be read' } })),
    ),
  )
  const has = (state: Finding['state']) => found.some((one) => one.state === state)
  return {
    status: has('failing') ? 'unavailable' : has('degraded') ? 'degraded' : 'ok',
    checks: Object.assign({}, ...found.map(({ checks }) => checks)),
  }
}

interface State {
  recovering: boolean
  readonly: boolean
  applied: string[]
}

const STATE = `
  SELECT pg_is_in_recovery() AS recovering, current_setting('transaction_read_only')::boolean AS readonly,
    ARRAY(SELECT migration_name::text FROM _prisma_migrations WHERE finished_at IS NOT NULL) AS applied`

/**
 * Checks that the database responds, on the probe's own connection unless another is given; that it accepts changes, which a standby or a
 * read-only primary does not; and that every migration of this build is applied.
 */
export async function checkDatabase(on: Runner = probe()): Promise<Finding> {
  if (!env().DATABASE_URL) return { state: 'failing', checks: { database: 'not started' } }
  try {
    const { rows } = await on.query<State>(STATE)
    const { recovering, readonly, applied } = rows[0] as State
    const missing = migrationNames().filter((name) => !applied.includes(name))
    const migrations = missing.length === 0 ? 'applied' : `missing: ${missing.join(', ')}`
    const database = recovering ? 'is a standby' : readonly ? 'is read-only' : 'answers'
    // The next check reconnects: behind a name or a proxy, another server may have become the primary.
    if (database !== 'answers') await renewProbe()
    return { state: database === 'answers' && missing.length === 0 ? 'ok' : 'failing', checks: { database, migrations } }
  } catch {
    return { state: 'failing', checks: { database: 'does not respond' } }
  }
}

/**
 * Longest time in milliseconds that /readyz waits for a bucket. Probes have limits of a second or two, and a bucket that hangs would take
 * every process out of service.
 */
const BUCKET_MS = 500
const LATE = 'late'

/** Resolves when the media storage has responded. Rejects if it is the wrong one, or if a bucket takes longer than `BUCKET_MS`. */
async function storageResponds(): Promise<void> {
  const checked = storage().check()
  if (!storageLocation()) return checked
  // Its result is not awaited once it is late.
  checked.catch(() => {})
  const late = await Promise.race([checked, wait(BUCKET_MS, LATE, { ref: false })])
  if (late === LATE) throw new Error(LATE)
}

/**
 * Checks that the media storage responds and belongs to this installation, and that every volume of DATA_DIR has its reserve free. A
 * process that lost its media folder goes out of service, since another machine may have it. A bucket that does not respond affects all
 * processes, which can still issue tokens and serve playlists; without free space, only uploads and transcoding stop.
 */
export async function checkStorage(): Promise<Finding> {
  try {
    await storageResponds()
  } catch {
    return { state: storageLocation() ? 'degraded' : 'failing', checks: { storage: 'unavailable' } }
  }
  try {
    return (await isLow()) ? { state: 'degraded', checks: { storage: 'low' } } : { state: 'ok', checks: { storage: 'enough' } }
  } catch {
    return { state: 'degraded', checks: { storage: 'unknown' } }
  }
}

/** Reports why this process's worker takes no videos. It still delivers webhooks and runs jobs, so the process stays in service. */
export async function checkTranscoding(): Promise<Finding> {
  const { paused } = intake()
  return paused ? { state: 'degraded', checks: { transcoding: `paused: ${paused}` } } : { state: 'ok', checks: {} }
}
