import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { leaseOf, transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { planOf } from '../plan/plan-video.ts'
import { getProcessing } from '../tasks/read-processing.ts'
import { storePlan } from '../tasks/task-writes.ts'
import { addSourceCaptions } from './source-captions.ts'

await testDatabase()
const never = new AbortController().signal
let ctx: AccountCtx
let scratch: string
beforeAll(async () => {
  await startQueue(JOBS)
  ctx = await makeAccount()
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-captions-'))
})
afterAll(async () => {
  await stopQueue()
  await rm(scratch, { recursive: true, force: true })
})

/** Returns a video of 2 s with subtitle tracks of one cue each, of the given numbers of characters. */
async function subtitled(name: string, tracks: readonly number[]): Promise<string> {
  const files = await Promise.all(
    tracks.map(async (characters, at) => {
      const path = join(scratch, `${name}-${at}.srt`)
      await writeFile(path, `1\n00:00:00,000 --> 00:00:01,500\n${`${'x'.repeat(99)}\n`.repeat(Math.ceil(characters / 100))}\n`)
      return path
    }),
  )
  const path = join(scratch, `${name}.mkv`)
  await ffmpeg([
    ...['-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=10:duration=2', ...files.flatMap((file) => ['-i', file])],
    ...['-map', '0', ...files.flatMap((_, at) => ['-map', String(at + 1)])],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:s', 'copy', path],
  ])
  return path
}

it('captions beyond 40 tracks or 16 MB are left out with a warning, and the video completes', async () => {
  const path = await subtitled('many', [...new Array<number>(9).fill(1_900_000), ...new Array<number>(34).fill(100)])
  const videoId = await pendingVideo(ctx, path, { targetQuality: '240p' })
  await transcodeVideo({ accountId: ctx.accountId, videoId }, never)
  const { status, warnings } = await getProcessing(ctx, { videoId })
  expect(status).toBe('COMPLETED')
  const captions = await db().caption.findMany({ where: { videoId }, select: { language: true } })
  expect(captions).toHaveLength(39)
  expect(captions.map(({ language }) => language)).not.toContain('und-x-9')
  const missing = { part: 'captions', startSec: 0, endSec: 2 }
  expect(warnings).toEqual([
    {
      ...{ ...missing, track: '(und-x-41), (und-x-42), (und-x-43)' },
      text: 'The captions (und-x-41), (und-x-42), (und-x-43) are missing: captions of a file can have at most 40 tracks.',
    },
    {
      ...{ ...missing, track: '(und-x-9)' },
      text: 'The captions (und-x-9) are missing: captions of a file can have at most 16 MB of text in total.',
    },
  ])
})

it('captions that take too long to read are left out with a warning', async () => {
  const path = await subtitled('slow', [100, 100])
  const videoId = await pendingVideo(ctx, path, { targetQuality: '240p' })
  const planning = await leaseOf({ accountId: ctx.accountId, videoId })
  const lease = planning && (await storePlan(planning, await planOf(path, '240p', never), null))?.next
  if (!lease) throw new Error('there is no task')
  const work = join(scratch, 'slow')
  await mkdir(work)
  const limits: number[] = []
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms)
    return AbortSignal.abort(new DOMException('too late', 'TimeoutError'))
  })
  const { omitted } = await addSourceCaptions(lease, { work, signal: never }).finally(() => timeout.mockRestore())
  expect(Math.max(...limits)).toBe(300_000)
  expect(omitted).toMatchObject([{ part: 'captions', reason: 'reading the captions of this file took longer than 5 minutes' }])
  expect(await db().caption.count({ where: { videoId } })).toBe(0)
})
