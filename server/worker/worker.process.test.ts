import { afterAll, expect, it } from 'vitest'
import { JOBS } from '../jobs.ts'
import { services } from '../platform/container.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { testDatabase } from '../testing/database.ts'
import { startWorker, stopWorker } from './worker.ts'

await testDatabase()
await startQueue(JOBS)
afterAll(async () => {
  await stopWorker()
  await stopQueue()
})

it('knows its programs and its encoder when it starts, so that no video waits while they are looked for', async () => {
  expect(services().encoderChoice.chosen).toBeUndefined()
  await startWorker()
  const { ffmpeg, ffprobe, scorer } = services().ffmpegPrograms
  expect([ffmpeg, ffprobe, scorer?.program].map((program) => typeof program)).toEqual(['string', 'string', 'string'])
  await expect(services().encoderChoice.chosen).resolves.toBe('x264')
})
