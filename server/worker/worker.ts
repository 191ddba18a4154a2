import type { z } from 'zod'
import { env } from '../infra/env.ts'
import { processWide } from '../infra/process-wide.ts'
import { enqueueSoon, type JobKind, type Run, stopWorking, work } from '../infra/queue.ts'
import { JOBS, type JobName } from '../jobs.ts'
import { Dispatcher } from '../webhook/dispatcher.ts'
import { runners } from './runners.ts'

/**
 * Begins to work on every kind of job, and to deliver webhooks; the queue must have been started. Without `canTranscode` uploaded videos
 * wait for a worker that can: each would only fail here.
 */
export async function startWorker({ canTranscode = true } = {}): Promise<void> {
  for (const name of Object.keys(JOBS) as JobName[]) {
    if (name === 'video.transcode' && !canTranscode) continue
    const concurrency = name === 'video.transcode' ? env().TRANSCODE_CONCURRENCY : 1
    await work(JOBS[name] as JobKind, concurrency, runners[name] as Run<z.output<z.ZodObject>>)
  }
  dispatcher().current ??= new Dispatcher()
  dispatcher().current?.start()
  // What was cut short when we last stopped is finished now and not within the hour.
  await enqueueSoon(JOBS['upload.sweep'], {})
  // The secrets may have been rotated with this start.
  await enqueueSoon(JOBS['key.rewrap'], {})
}

/** Interrupts what runs (ffmpeg ends at once) and gives it back to the queue; resolves when nothing is left of it. */
export async function stopWorker(): Promise<void> {
  const holder = dispatcher()
  const { current } = holder
  holder.current = undefined
  await Promise.all([stopWorking(), current?.stop()])
}

const dispatcher = () => processWide<{ current?: Dispatcher }>('webhook-dispatcher', () => ({}))
