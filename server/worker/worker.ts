import type { z } from 'zod'
import { JOBS, type JobName } from '../jobs.ts'
import { Transcoder } from '../modules/transcoding/transcoder.ts'
import { Dispatcher } from '../modules/webhooks/dispatcher.ts'
import { env } from '../platform/config.ts'
import { enqueueSoon, type JobKind, type Run, stopWorking, work } from '../platform/job-queue.ts'
import { processWide } from '../platform/process-wide.ts'
import { runners } from './runners.ts'

/**
 * Begins to work on every kind of job, to transcode and to deliver webhooks; the queue must have been started. Without `canTranscode` uploaded videos
 * wait for a worker that can: each would only fail here.
 */
export async function startWorker({ canTranscode = true } = {}): Promise<void> {
  for (const name of Object.keys(JOBS) as JobName[]) {
    await work(JOBS[name] as JobKind, 1, runners[name] as Run<z.output<z.ZodObject>>)
  }
  const { current } = running()
  if (!current) {
    const dispatcher = new Dispatcher()
    dispatcher.start()
    running().current = { dispatcher, transcoder: canTranscode ? new Transcoder(env().TRANSCODE_CONCURRENCY) : undefined }
  }
  // What was cut short when we last stopped is finished now and not within the hour.
  await enqueueSoon(JOBS['upload.sweep'], {})
  // The secrets may have been rotated with this start.
  await enqueueSoon(JOBS['key.rewrap'], {})
}

/** Interrupts what runs (ffmpeg ends at once) and gives it back to the queue; resolves when nothing is left of it. */
export async function stopWorker(): Promise<void> {
  const holder = running()
  const { current } = holder
  holder.current = undefined
  await Promise.all([stopWorking(), current?.dispatcher.stop(), current?.transcoder?.stop()])
}

interface Running {
  dispatcher: Dispatcher
  transcoder: Transcoder | undefined
}

const running = () => processWide<{ current?: Running }>('worker', () => ({}))
