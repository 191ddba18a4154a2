import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { asServiceError } from './errors.ts'
import { isOneOfSeveral, startWebProcesses } from './http/web-processes.ts'
import { JOBS } from './jobs.ts'
import { signUpWarning } from './modules/identity/sign-in/sign-up-policy.ts'
import { env, loadEnvFile, proxyWarning, setNextAuthUrl, testValue } from './platform/config/config.ts'
import { openDataDir } from './platform/config/data-dir.ts'
import { checkSecrets } from './platform/config/secret-fingerprints.ts'
import { services } from './platform/container.ts'
import { closeDb } from './platform/database/database.ts'
import { ownerOf } from './platform/database/database-url.ts'
import { MigrationError, migrate, missingMigrations } from './platform/database/migrate.ts'
import { notifications } from './platform/database/notifications.ts'
import { checkPooler, PoolerError } from './platform/database/pooler.ts'
import { closeReplica } from './platform/database/read-replica.ts'
import { waitForPrimary } from './platform/database/wait-for-primary.ts'
import { checkPrograms } from './platform/ffmpeg/ffmpeg-programs.ts'
import { missingProtection } from './platform/ffmpeg/sandbox.ts'
import { Ballast } from './platform/files/ballast.ts'
import { log } from './platform/observe/log.ts'
import { wantsTraces } from './platform/observe/tracing.ts'
import { startEmbeddedPostgres } from './platform/postgres/embedded.ts'
import { processRegistry } from './platform/process-registry.ts'
import { claimStorage } from './platform/storage/claim-storage.ts'
import { buildContainer } from './services.ts'

interface Part {
  name: string
  stop: () => Promise<unknown>
  patienceMs?: number
  /** Whether it starts to stop at once, while the web server is still serving. */
  atOnce?: true
}

/** Everything started, in order. It is stopped in reverse order. */
const started: Part[] = []
/** With several web processes, the process that started them does this. */
const print = (line: string) => isOneOfSeveral || process.stdout.write(`${line}\n`)

/** Longest time in milliseconds that stopping one part may delay the next. */
const STOP_TIMEOUT_MS = 5_000

/** Longest time in seconds that a start waits for a database that accepts changes, as during a failover. */
const DATABASE_WAIT_SEC = 60

/** Size of DATA_DIR/ballast (platform/files/ballast.ts). */
const BALLAST_BYTES = 128 * 1024 ** 2

const leaving = new AbortController()
/** Aborts when an operator is waiting for the end, or no parent is left: a drain would then serve no one. */
const hurry = new AbortController()
let stopping: Promise<void> | undefined

function stop(): Promise<void> {
  stopping ??= (async () => {
    leaving.abort(new Error('stopped during start-up'))
    // The current step ends first, so that what it starts is stopped too.
    await starting.catch(() => {})
    const early = new Map(started.filter(({ atOnce }) => atOnce).map((part) => [part, stopPart(part)]))
    for (const part of started.reverse()) await (early.get(part) ?? stopPart(part))
  })()
  return stopping
}

async function stopPart({ name, stop, patienceMs = STOP_TIMEOUT_MS }: Part): Promise<void> {
  const late = wait(patienceMs, undefined, { ref: false }).then(() => Promise.reject(new Error(`it takes longer than ${patienceMs} ms`)))
  await Promise.race([stop(), late]).catch((error: Error) => log().error({ err: error.message }, `${name} did not stop cleanly`))
}

async function leave(code: number): Promise<void> {
  await stop()
  process.exit(code)
}

async function start(): Promise<void> {
  const { values } = parseArgs({ options: { dev: { type: 'boolean', default: false } } })
  for (const warning of loadEnvFile()) print(`.env         ${warning}`)
  buildContainer()
  const { ROLES, WEB_PROCESSES } = env()
  await startTracing(ROLES)
  const dataDir = openDataDir(print)
  const web = ROLES.includes('web') ? await import('./http/web-server.ts') : undefined
  const supervises = web !== undefined && WEB_PROCESSES > 1 && !values.dev
  if (!isOneOfSeveral) await web?.checkPort()

  await openDatabase(dataDir, supervises ? WEB_PROCESSES : 1)
  const warning = signUpWarning()
  if (warning) print(`Sign-up      ${warning}`)
  const ignored = proxyWarning()
  if (ignored) print(`Proxy        ${ignored}`)
  // The address may differ from the one in the browser. next-auth only uses it to tell http from https.
  setNextAuthUrl(env().BASE_URL)
  leaving.signal.throwIfAborted()

  started.push({ name: 'the database pool', stop: closeDb })
  started.push({ name: 'the pool of the replica', stop: closeReplica })
  await checkSecrets({ adopt: true })
  await claimStorage()
  const admin = env().ADMIN_PORT === undefined ? undefined : await (await import('./admin.ts')).startAdmin(leaving.signal)
  if (admin) started.push({ name: 'the admin server', stop: admin.stop })
  const roles = supervises ? ROLES.filter((role) => role !== 'web') : ROLES
  if (roles.length > 0) await startRoles(roles)
  const missing = missingProtection()
  if (missing) print(`ffmpeg       ${missing}. See docs/transcoding.md`)
  if (web) {
    const stop = supervises
      ? await startWebProcesses(WEB_PROCESSES, hurry.signal)
      : await web.startWeb({ dev: values.dev, hurry: hurry.signal })
    const { SHUTDOWN_MS } = await import('./http/drain.ts')
    const patienceMs = 2 * STOP_TIMEOUT_MS + env().DRAIN_SEC * 1_000 + SHUTDOWN_MS
    started.push({ name: supervises ? 'the web processes' : 'the web server', stop, patienceMs })
    if (supervises) print(`Web          ${WEB_PROCESSES} processes`)
  }
  leaving.signal.throwIfAborted()
  admin?.declareStarted()
  print(web ? `\nReelgate is ready:  ${env().BASE_URL}` : '\nReelgate is ready.')
}

/** Starts recording traces if the settings ask for it, before the pool exists. Loads the OpenTelemetry packages only then. */
async function startTracing(roles: readonly string[]): Promise<void> {
  if (!wantsTraces()) return
  const { makeTracing } = await import('./platform/observe/trace-export.ts')
  const tracing = makeTracing(roles)
  services().tracing = tracing
  started.push({ name: 'the export of traces', stop: tracing.stop })
}

/** Starts the embedded database, or checks the external one, and updates the schema. */
async function openDatabase(dataDir: string, webProcesses: number): Promise<void> {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_POOL } = env()
  if (!DATABASE_URL) {
    const ballast = new Ballast({ dataDir, size: Number(testValue('BALLAST_BYTES') ?? BALLAST_BYTES) })
    await ballast.start()
    started.push({ name: 'the ballast file', stop: () => ballast.stop() })
    const maxConnections = 200 + (webProcesses - 1) * (DATABASE_POOL + 5)
    const postgres = await startEmbeddedPostgres({ dataDir, maxConnections, signal: leaving.signal })
    started.push({ name: 'PostgreSQL', stop: postgres.stop, patienceMs: 20_000 })
    services().settings = { ...env(), DATABASE_URL: postgres.url, DATABASE_OWNER_URL: postgres.ownerUrl }
    print(`PostgreSQL   embedded, in ${dataDir}${postgres.attached ? ' (attached to the running server)' : ''}`)
  } else {
    await waitForDatabase().catch(explainConnection)
    const pooled = await checkPooler(DATABASE_URL, DATABASE_DIRECT_URL).catch(explainConnection)
    print(`PostgreSQL   at DATABASE_URL${pooled ? ', through a pooler' : ''}`)
  }
  await updateSchema().catch(explainConnection)
}

/** Waits for the database behind each URL, so that a start during a failover needs no supervisor. */
async function waitForDatabase(): Promise<void> {
  const { DATABASE_URL = '' } = env()
  const forMs = Number(testValue('DATABASE_WAIT_SEC') ?? DATABASE_WAIT_SEC) * 1_000
  const isTemporary = (error: unknown) => asServiceError(error).code === 'SERVICE_UNAVAILABLE'
  for (const url of new Set([DATABASE_URL, ownerOf(env()).url])) await waitForPrimary(url, { forMs, isTemporary, signal: leaving.signal })
}

/** Starts the worker, and what web processes and workers share. */
async function startRoles(roles: readonly string[]): Promise<void> {
  await notifications().start()
  started.push({ name: 'the change listener', stop: () => notifications().stop() })
  started.push({ name: 'the process registry', stop: () => processRegistry().leave() })
  await processRegistry().join(roles)
  leaving.signal.throwIfAborted()

  const { startQueue, stopQueue } = await import('./platform/job-queue.ts')
  await startQueue(JOBS)
  started.push({ name: 'the job queue', stop: stopQueue })
  leaving.signal.throwIfAborted()
  if (!roles.includes('worker')) return

  const { startWorker, stopWorker } = await import('./worker/worker.ts')
  const transcoder = findTranscoder()
  await startWorker({ canTranscode: transcoder !== undefined })
  started.push({ name: 'the worker', stop: stopWorker, atOnce: true })
  if (transcoder) print(`Worker       transcoding with ffmpeg ${transcoder}`)
  leaving.signal.throwIfAborted()
}

async function updateSchema(): Promise<void> {
  const { url, service } = ownerOf(env())
  if (!env().MIGRATE_ON_START) {
    const missing = await missingMigrations(url)
    if (missing.length === 0) return
    throw new MigrationError(`the database lacks the migration ${missing[0]}. Run npm run operator -- migrate, then start again.`)
  }
  const { migrations, routines } = await migrate(url, { service, signal: leaving.signal })
  if (migrations.length + routines.length > 0)
    print(`Schema       applied: ${migrations.length} migration(s), ${routines.length} routine(s)`)
}

/** Describes a connection error in words for the operator. */
function explainConnection(error: NodeJS.ErrnoException): never {
  if (error instanceof MigrationError || error instanceof PoolerError || leaving.signal.aborted) throw error
  throw new Error(
    `cannot connect to the database (${error.message || error.code}). Check that DATABASE_URL is correct and that the database is running.`,
  )
}

/** Without a transcoder, everything else works, and uploaded videos stay in the queue. */
function findTranscoder(): string | undefined {
  try {
    return checkPrograms()
  } catch (error) {
    print(`Worker       cannot transcode; uploaded videos stay queued: ${(error as Error).message}`)
    return undefined
  }
}

// A closed terminal accepts no more output. That must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
// Ctrl-C in a terminal arrives twice (from the terminal and from npm), so a second signal does not force an exit.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // An operator at a terminal is waiting. A deployment sends SIGTERM and lets this process drain.
    if (signal !== 'SIGTERM') hurry.abort()
    if (!stopping) print('\nStopping…')
    void leave(0)
  })
}
// The command that started the process was killed, so no parent is left to stop it.
process.on('disconnect', () => {
  hurry.abort()
  void leave(0)
})
process.on('uncaughtException', (error) => {
  hurry.abort()
  void leave(1)
  log().fatal({ err: error }, 'uncaught error; stopping')
})

const starting = start()
starting.catch((error: Error) => {
  if (leaving.signal.aborted) return
  process.stderr.write(`\nReelgate could not start: ${error.message}\n`)
  void leave(1)
})
