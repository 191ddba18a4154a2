import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { closeDb } from './infra/db.ts'
import { env, provide } from './infra/env.ts'
import { log } from './infra/log.ts'
import { migrate } from './infra/migrate.ts'
import { changes } from './infra/notify.ts'
import { startEmbeddedPostgres } from './infra/postgres/embedded.ts'
import { derivedKey } from './infra/secrets.ts'
import { JOBS } from './jobs.ts'

/** What was started, in order; stopped in the opposite order. */
const started: { name: string; stop: () => Promise<unknown> }[] = []
const say = (line: string) => process.stdout.write(`${line}\n`)

let stopping: Promise<void> | undefined
function stop(): Promise<void> {
  stopping ??= (async () => {
    for (const { name, stop } of started.reverse()) {
      await stop().catch((error: Error) => log().error({ err: error.message }, `${name} did not stop cleanly`))
    }
  })()
  return stopping
}

// Ctrl-C in a terminal reaches us twice (from the terminal and from npm), so a second signal is not impatience.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, async () => {
    if (!stopping) say('\nStopping…')
    await stop()
    process.exit(0)
  })
}

async function start(): Promise<void> {
  const { values } = parseArgs({ options: { dev: { type: 'boolean', default: false } } })
  const settings = env()
  if (!settings.DATABASE_URL) {
    const postgres = await startEmbeddedPostgres({ dataDir: settings.DATA_DIR })
    started.push({ name: 'PostgreSQL', stop: postgres.stop })
    provide({ DATABASE_URL: postgres.url })
    say(`PostgreSQL   embedded, in ${settings.DATA_DIR}${postgres.attached ? ' (was still running, taken over)' : ''}`)
  } else say('PostgreSQL   at DATABASE_URL')

  const applied = await migrate(env().DATABASE_URL as string)
  if (applied.length > 0) say(`Migrations   ${applied.length} applied`)
  // The address may differ from what the browser typed; next-auth only needs it to know http from https.
  provide({ NEXTAUTH_URL: env().BASE_URL, NEXTAUTH_SECRET: derivedKey('session').toString('hex') })

  started.push({ name: 'the database pool', stop: closeDb })
  await changes().start()
  started.push({ name: 'the change listener', stop: () => changes().stop() })

  const { startQueue, stopQueue } = await import('./infra/queue.ts')
  await startQueue(JOBS)
  started.push({ name: 'the job queue', stop: stopQueue })
  if (settings.ROLES.includes('worker')) {
    const { startWorker, stopWorker } = await import('./worker/worker.ts')
    await startWorker()
    started.push({ name: 'the worker', stop: stopWorker })
    say('Worker       ready to transcode')
  }
  if (settings.ROLES.includes('web')) {
    const { startWeb } = await import('./web.ts')
    started.push({ name: 'the web server', stop: await startWeb({ dev: values.dev }) })
    say(`\nReelgate is ready:  ${env().BASE_URL}`)
  }
}

if (existsSync('.env')) process.loadEnvFile('.env')
start().catch(async (error: Error) => {
  process.stderr.write(`\nReelgate could not start: ${error.message}\n`)
  await stop()
  process.exit(1)
})
