import type { z } from 'zod'
import { JOBS, type JobName } from '../jobs.ts'
import { Transcoder } from '../modules/transcoding/encode/transcoder.ts'
import { prepareTranscoding, sweepWorkFolders } from '../modules/transcoding/encode/work-folder.ts'
import { Transcriber } from '../modules/transcoding/transcripts/transcriber.ts'
import { Dispatcher } from '../modules/webhooks/delivery/dispatcher.ts'
import { env } from '../platform/config/config.ts'
import { services } from '../platform/container.ts'
import { enqueueSoon, type JobKind, type Run, startJobWorkers, stopJobWorkers } from '../platform/job-queue.ts'
import { runners } from './runners.ts'

/**
 * How many jobs of a kind run at once, if more than one. One group, an account or a network, takes all but one of them, so that its files
 * and emails do not hold up the next group's.
 */
const atOnceOf = (name: JobName): number => (name === 'upload.import' ? 4 : ['download.prepare', ...MAILS].includes(name) ? 2 : 1)
const MAILS: readonly JobName[] = ['account.sign-up-mail', 'user.reset-mail', 'team.invitation-mail']

/**
 * Starts processing every kind of job, transcoding and webhook delivery. The queue must have been started. Without `canTranscode`, uploaded
 * videos wait for a worker that can transcode, since each would only fail here.
 */
export async function startWorker({ canTranscode = true } = {}): Promise<void> {
  // A killed predecessor may have filled the disk.
  await sweepWorkFolders()
  if (canTranscode) await prepareTranscoding()
  for (const name of Object.keys(JOBS) as JobName[]) {
    if (name === 'media.repair' && !canTranscode) continue
    await startJobWorkers(JOBS[name] as JobKind, runners[name] as Run<z.output<z.ZodObject>>, atOnceOf(name))
  }
  const { current } = running()
  if (!current) {
    const dispatcher = new Dispatcher()
    dispatcher.start()
    const transcoder = canTranscode ? new Transcoder(env().TRANSCODE_CONCURRENCY) : undefined
    running().current = { dispatcher, transcoder, transcriber: transcoder && new Transcriber(transcoder) }
  }
  // Finishes work that the last stop interrupted now, instead of within the hour.
  await enqueueSoon(JOBS['upload.sweep'], {})
  // The secrets may have been rotated with this start.
  await enqueueSoon(JOBS['key.rewrap'], {})
  await enqueueSoon(JOBS['erasure.repeat'], {})
}

/** Interrupts running jobs (ffmpeg ends at once) and returns them to the queue. Resolves when none is left. */
export async function stopWorker(): Promise<void> {
  const holder = running()
  const { current } = holder
  holder.current = undefined
  await Promise.all([stopJobWorkers(), current?.dispatcher.stop(), current?.transcoder?.stop(), current?.transcriber?.stop()])
}

interface Running {
  dispatcher: Dispatcher
  transcoder: Transcoder | undefined
  transcriber: Transcriber | undefined
}

declare module '../platform/container.ts' {
  interface Services {
    worker: { current?: Running }
  }
}

const running = () => services().worker
