import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { env } from '../platform/config/config.ts'
import { log } from '../platform/observe/log.ts'
import { GatheredMetrics, gatheredMetrics } from './gathered-metrics.ts'

/** Milliseconds before an ended web process is replaced: one that cannot start must not take up the others' time. */
const RESTART_MS = 1_000

/** Whether this is one of several web processes that another process started. */
export const isOneOfSeveral = cluster.isWorker

/**
 * Starts `count` processes that serve HTTP on the same port, and replaces any that ends. They run the same program with this process's
 * settings, and take accepted connections in turn. Resolves when all are listening, with a function that stops them as the signal to this
 * process asked. `hurry` aborts when the operator is waiting. Errors: one ended while starting.
 */
export async function startWebProcesses(count: number, hurry: AbortSignal): Promise<() => Promise<void>> {
  const running = new Set<Worker>()
  const metrics = new GatheredMetrics(count)
  gatheredMetrics().current = metrics
  let stopping = false
  const start = () => {
    const { DATABASE_URL = '', DATABASE_OWNER_URL = '' } = env()
    const own = { ROLES: 'web', WEB_PROCESSES: '1', MIGRATE_ON_START: 'false', DATABASE_URL, DATABASE_OWNER_URL }
    const worker = cluster.fork(own)
    running.add(worker)
    metrics.add(worker)
    worker.once('exit', (code, signal) => {
      running.delete(worker)
      if (stopping) return
      log().error({ pid: worker.process.pid, code, signal }, 'a web process ended; starting another one')
      void wait(RESTART_MS).then(() => stopping || start())
    })
    return worker
  }
  const stop = async () => {
    stopping = true
    const signal = () => {
      for (const { process } of running) process.kill(hurry.aborted ? 'SIGINT' : 'SIGTERM')
    }
    hurry.addEventListener('abort', signal)
    const ended = [...running].map((worker) => once(worker, 'exit'))
    signal()
    await Promise.all(ended)
  }
  try {
    await Promise.all(Array.from({ length: count }, () => listening(start())))
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

async function listening(worker: Worker): Promise<void> {
  const failed = once(worker, 'exit').then(([code]) => Promise.reject(new Error(`a web process ended with ${code} during start-up`)))
  await Promise.race([once(worker, 'listening'), failed])
  failed.catch(() => {})
}
