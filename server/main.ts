import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { JOBS } from './jobs.ts'
import { signUpWarning } from './modules/auth/sign-up-policy.ts'
import { Ballast } from './platform/ballast.ts'
import { env, setNextAuthUrl } from './platform/config.ts'
import { services } from './platform/container.ts'
import { openDataDir } from './platform/data-dir.ts'
import { closeDb } from './platform/database.ts'
import { checkPrograms } from './platform/ffmpeg-programs.ts'
import { log } from './platform/log.ts'
import { MigrationError, migrate } from './platform/migrate.ts'
import { notifications } from './platform/notifications.ts'
import { startEmbeddedPostgres } from './platform/postgres/embedded.ts'
import { processRegistry } from './platform/process-registry.ts'
import { missingProtection } from './platform/sandbox.ts'
import { claimStorage } from './platform/storage/claim-storage.ts'
import { buildContainer } from './services.ts'

/** What was started, in order; stopped in the opposite order. */
const started: { name: string; stop: () => Promise<unknown>; patienceMs?: number }[] = []
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Longest time in milliseconds that stopping one part may delay the next. */
const STOP_TIMEOUT_MS = 5_000

const leaving = new AbortController()
let stopping: Promise<void> | undefined

function stop(): Promise<void> {
  stopping ??= (async () => {
    leaving.abort(new Error('stopped during start-up'))
    // The current step ends first, so that what it starts is stopped as well.
    await starting.catch(() => {})
    for (const { name, stop, patienceMs = STOP_TIMEOUT_MS } of started.reverse()) {
      const late = wait(patienceMs, undefined, { ref: false }).then(() =>
        Promise.reject(new Error(`it takes longer than ${patienceMs} ms`)),
      )
      await Promise.race([stop(), late]).catch((error: Error) => log().error({ err: error.message }, `${name} did not stop cleanly`))
    }
  })()
  return stopping
}

async function leave(code: number): Promise<void> {
  await stop()
  process.exit(code)
}

async function start(): Promise<void> {
  const { values } = parseArgs({ options: { dev: { type: 'boolean', default: false } } })
  if (existsSync('.env')) process.loadEnvFile('.env')
  buildContainer()
  const { DATABASE_URL, ROLES } = env()
  const dataDir = openDataDir(say)
  const web = ROLES.includes('web') ? await import('./http/web-server.ts') : undefined
  await web?.checkPort()

  if (!DATABASE_URL) {
    const ballast = new Ballast({ dataDir, size: env().STORAGE_BALLAST_BYTES })
    await ballast.start()
    started.push({ name: 'the ballast file', stop: () => ballast.stop() })
    const postgres = await startEmbeddedPostgres({ dataDir, signal: leaving.signal })
    started.push({ name: 'PostgreSQL', stop: postgres.stop, patienceMs: 20_000 })
    services().settings = { ...env(), DATABASE_URL: postgres.url, DATABASE_OWNER_URL: postgres.ownerUrl }
    say(`PostgreSQL   embedded, in ${dataDir}${postgres.attached ? ' (attached to the running server)' : ''}`)
  } else say('PostgreSQL   at DATABASE_URL')

  const applied = await migrate(...schemaRoles()).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof MigrationError) throw error
    throw new Error(
      `cannot connect to the database (${error.message || error.code}). Check that DATABASE_URL is correct and that the database is running.`,
    )
  })
  const { migrations, routines } = applied
  if (migrations.length + routines.length > 0) say(`Schema       applied: ${migrations.length} migration(s), ${routines.length} routine(s)`)
  const warning = signUpWarning()
  if (warning) say(`Sign-up      ${warning}`)
  // The address may differ from the one in the browser; next-auth only uses it to distinguish http from https.
  setNextAuthUrl(env().BASE_URL)
  leaving.signal.throwIfAborted()

  started.push({ name: 'the database pool', stop: closeDb })
  await claimStorage()
  await notifications().start()
  started.push({ name: 'the change listener', stop: () => notifications().stop() })
  started.push({ name: 'the process registry', stop: () => processRegistry().leave() })
  await processRegistry().join(ROLES)
  leaving.signal.throwIfAborted()

  const { startQueue, stopQueue } = await import('./platform/job-queue.ts')
  await startQueue(JOBS)
  started.push({ name: 'the job queue', stop: stopQueue })
  leaving.signal.throwIfAborted()

  if (ROLES.includes('worker')) {
    const { startWorker, stopWorker } = await import('./worker/worker.ts')
    const transcoder = findTranscoder()
    await startWorker({ canTranscode: transcoder !== undefined })
    started.push({ name: 'the worker', stop: stopWorker })
    if (transcoder) say(`Worker       transcoding with ffmpeg ${transcoder}`)
    leaving.signal.throwIfAborted()
  }
  const missing = missingProtection()
  if (missing.length > 0) say(`ffmpeg       is not fully confined on this system: ${missing.join('; ')}. See docs/operating.md`)
  if (web) started.push({ name: 'the web server', stop: await web.startWeb({ dev: values.dev }) })
  leaving.signal.throwIfAborted()
  say(web ? `\nReelgate is ready:  ${env().BASE_URL}` : '\nReelgate is ready.')
}

/** Returns the connection that migrates the schema, and the role that then receives rights on it, if it is another one. */
function schemaRoles(): Parameters<typeof migrate> {
  const { DATABASE_URL = '', DATABASE_OWNER_URL } = env()
  if (!DATABASE_OWNER_URL) return [DATABASE_URL]
  return [DATABASE_OWNER_URL, { service: decodeURIComponent(new URL(DATABASE_URL).username) }]
}

/** Without a transcoder everything else still works, and uploaded videos stay in the queue. */
function findTranscoder(): string | undefined {
  try {
    return checkPrograms()
  } catch (error) {
    say(`Worker       cannot transcode; uploaded videos stay queued: ${(error as Error).message}`)
    return undefined
  }
}

// A closed terminal accepts no more output, which must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
// Ctrl-C in a terminal is received twice (from the terminal and from npm), so a second signal does not force an exit.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!stopping) say('\nStopping…')
    void leave(0)
  })
}
// The command of this project that started the process was killed, so no parent is left to stop it.
process.on('disconnect', () => void leave(0))
process.on('uncaughtException', (error) => {
  void leave(1)
  log().fatal({ err: error }, 'uncaught error; stopping')
})

const starting = start()
starting.catch((error: Error) => {
  if (leaving.signal.aborted) return
  process.stderr.write(`\nReelgate could not start: ${error.message}\n`)
  void leave(1)
})
