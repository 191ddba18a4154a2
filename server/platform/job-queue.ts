import { fromPrisma, type Job, PgBoss } from 'pg-boss'
import type { z } from 'zod'
import { env } from './config/config.ts'
import { services } from './container.ts'
import { connectionTo } from './database/connection.ts'
import { db, type Runner, type Tx } from './database/database.ts'
import { directUrl } from './database/database-url.ts'
import { log } from './observe/log.ts'
import { ANY, counter, histogram } from './observe/metrics.ts'
import { formatTraceparent } from './observe/traceparent.ts'
import { activeContext, inSpan, type SpanStart, storedParent } from './observe/tracing.ts'

/** A kind of job, as listed in server/jobs.ts. */
export interface JobKind<Payload extends z.ZodObject = z.ZodObject> {
  name: string
  payload: Payload
  /** Attempts after the first. */
  retryLimit: number
  /** Seconds between attempts. */
  retryDelay: number
  /** Doubles the time between attempts, up to `retryDelayMax` seconds. */
  retryBackoff?: boolean
  retryDelayMax?: number
  /** A longer attempt is taken from its worker. */
  expireInSeconds: number
  /** When it is enqueued automatically: cron, UTC. */
  cron?: string
}

export const jobRuns = counter('reelgate_job_runs_total', 'Finished job runs, by result.', {
  kind: ANY,
  result: ['completed', 'failed', 'interrupted'],
})
export const jobDuration = histogram('reelgate_job_duration_seconds', 'Duration of job runs.', [0.01, 0.1, 1, 10, 60, 600, 3_600], {
  kind: ANY,
})

interface State {
  boss?: Promise<PgBoss>
  working: Set<string>
  stopping: AbortController
}

declare module './container.ts' {
  interface Services {
    jobQueue: State
  }
}

export const makeJobQueue = (): State => ({ working: new Set(), stopping: new AbortController() })
const state = () => services().jobQueue

/** Seconds without a heartbeat after which a running job is taken from its worker. The minimum of pg-boss. */
const HEARTBEAT_SEC = 10
/** Seconds between checks for lost jobs. Together with the heartbeat, this limits how long a killed worker's job is idle. */
const SUPERVISE_SEC = 5

/** Starts this process's job queue (pg-boss, schema `pgboss`) and updates the kinds of jobs. */
export async function startQueue(kinds: Record<string, JobKind>): Promise<void> {
  const holder = state()
  holder.boss ??= start(Object.values(kinds))
  try {
    await holder.boss
  } catch (error) {
    holder.boss = undefined
    throw error
  }
}

/** Closes the queue's connections. First stops workers that still run. */
export async function stopQueue(): Promise<void> {
  await stopJobWorkers()
  const holder = state()
  const boss = await holder.boss
  holder.boss = undefined
  await boss?.stop({ graceful: true, timeout: 5_000 })
}

interface Sending {
  /** All but one of a kind's workers in a process can take jobs of the same group. */
  group?: string
  /** Seconds until it may start. */
  afterSec?: number
}

/** Enqueues a job as part of a transaction: it exists if and only if the transaction commits. */
export async function enqueue<P extends z.ZodObject>(
  tx: Tx | Runner,
  kind: JobKind<P>,
  payload: z.input<P>,
  { group, afterSec }: Sending = {},
): Promise<void> {
  const options = { ...inTransaction(tx), ...(group && { group: { id: group } }), ...(afterSec && { startAfter: afterSec }) }
  await (await running()).send(kind.name, dataOf(kind, payload), options)
}

/** Enqueues a job outside a transaction, unless an equal one was enqueued within the last minute. */
export async function enqueueSoon<P extends z.ZodObject>(kind: JobKind<P>, payload: z.input<P>): Promise<void> {
  await (await running()).send(kind.name, dataOf(kind, payload), { singletonSeconds: 60 })
}

/** Returns a job's data: its payload, and the trace of what enqueued it. */
function dataOf<P extends z.ZodObject>(kind: JobKind<P>, payload: z.input<P>): object {
  const data: object = kind.payload.parse(payload)
  const context = activeContext()
  return context ? { ...data, traceparent: formatTraceparent(context) } : data
}

/** Runs one job. When `signal` aborts, it ends soon by throwing. A job that returns is done. */
export type Run<Payload> = (payload: Payload, signal: AbortSignal) => Promise<void>

/** Processes jobs of one kind, `atOnce` at a time, until `stopJobWorkers`. */
export async function startJobWorkers<P extends z.ZodObject>(kind: JobKind<P>, run: Run<z.output<P>>, atOnce = 1): Promise<void> {
  const boss = await running()
  const { working, stopping } = state()
  const several = atOnce > 1 ? { localConcurrency: atOnce, localGroupConcurrency: atOnce - 1 } : {}
  const polling = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 5, ...several }
  const worker: { id?: string } = {}
  worker.id = await boss.work<object>(kind.name, polling, async ([job]) => {
    if (!job) return
    const startedAt = performance.now()
    try {
      await inSpan(`process ${kind.name}`, spanOf(job), () =>
        run(kind.payload.parse(job.data), AbortSignal.any([job.signal, stopping.signal])),
      )
      jobRuns.add({ kind: kind.name, result: 'completed' })
    } catch (error) {
      jobRuns.add({ kind: kind.name, result: stopping.signal.aborted ? 'interrupted' : 'failed' })
      if (stopping.signal.aborted) return handBack(boss, job)
      log().warn({ err: error, job: kind.name, id: job.id }, 'job failed')
      throw error
    } finally {
      jobDuration.observe({ kind: kind.name }, (performance.now() - startedAt) / 1_000)
      // Otherwise, the worker would wait for its polling interval after each job, however many were waiting.
      if (worker.id) boss.notifyWorker(worker.id)
    }
  })
  working.add(kind.name)
  for (const result of ['completed', 'failed', 'interrupted'] as const) jobRuns.cell({ kind: kind.name, result })
}

function spanOf({ id, name, data }: Job<object>): SpanStart {
  const attributes = {
    'messaging.system': 'pg-boss',
    'messaging.operation.type': 'process',
    'messaging.destination.name': name,
    'messaging.message.id': id,
  }
  const { traceparent } = data as { traceparent?: string }
  return { kind: 'consumer', attributes, parent: storedParent(traceparent) }
}

/** Interrupts running jobs and waits until they are back in the queue; the next worker starts them at once. */
export async function stopJobWorkers(): Promise<void> {
  const holder = state()
  if (holder.working.size === 0) return
  const boss = await running()
  // Fetching stops first, then the running jobs are interrupted.
  const ended = [...holder.working].map((name) => boss.offWork(name, { wait: true }))
  holder.stopping.abort(new Error('The worker is stopping.'))
  await Promise.all(ended)
  holder.working.clear()
  holder.stopping = new AbortController()
}

/** Returns an interrupted job to the queue without using up an attempt: completes it and enqueues a copy. */
async function handBack(boss: PgBoss, job: Job): Promise<void> {
  await db().$transaction(async (tx) => {
    await boss.complete(job.name, job, null, inTransaction(tx))
    await boss.send(job.name, job.data, { ...inTransaction(tx), ...(job.groupId && { group: { id: job.groupId } }) })
  })
}

function running(): Promise<PgBoss> {
  const { boss } = state()
  if (!boss) throw new Error('The job queue was not started in this process.')
  return boss
}

const inTransaction = (tx: Tx | Runner) => ({
  db: '$queryRaw' in tx ? fromPrisma(tx) : { executeSql: (text: string, values?: unknown[]) => tx.query(text, values) },
})

async function start(kinds: JobKind[]): Promise<PgBoss> {
  const boss = new PgBoss({
    ...connectionTo(directUrl(env())),
    schema: 'pgboss',
    // A migration creates the schema, because the service's role may not.
    createSchema: false,
    application_name: 'reelgate-queue',
    max: 2,
    useListenNotify: true,
    superviseIntervalSeconds: SUPERVISE_SEC,
    monitorIntervalSeconds: SUPERVISE_SEC,
  })
  boss.on('error', (error) => log().warn({ err: error.message }, 'job queue error'))
  boss.on('warning', ({ message }) => log().debug({ message }, 'job queue'))
  await boss.start()
  for (const { name, cron, payload: _, ...settings } of kinds) {
    const options = { ...settings, heartbeatSeconds: HEARTBEAT_SEC, notify: true }
    await boss.createQueue(name, options)
    await boss.updateQueue(name, options)
    if (cron) await boss.schedule(name, cron, {}, { tz: 'UTC' })
  }
  return boss
}
