import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { numberedFrames } from '../../../testing/media/chunked.ts'
import { damageFile } from '../../../testing/media/damaged-file.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { provide } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { getForDashboard } from '../../dashboard/get-video.ts'
import { getProcessing } from './read-processing.ts'

const { dataDir } = await testDatabase()
let ctx: AccountCtx
let source: string
beforeAll(async () => {
  await startQueue(JOBS)
  ctx = await makeAccount()
  const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20', '-x264-params', 'scenecut=0']
  const inputs = [...numberedFrames('10', 50), '-f', 'lavfi', '-i', 'sine=duration=50']
  const whole = await makeMediaFile('damaged-video.mp4', [...inputs, ...encoder])
  const picture = await damageFile(whole, join(dataDir, 'picture.mp4'), { stream: 'v', from: 4, to: 28 })
  source = await damageFile(picture, join(dataDir, 'damaged.mp4'), { stream: 'a', from: 4, to: 45 })
})
afterAll(stopQueue)

async function transcode(replaces: boolean): Promise<string> {
  provide({ TRANSCODE_REPLACE_DAMAGED: String(replaces) })
  const videoId = await pendingVideo(ctx, source, { targetQuality: '144p' })
  await transcodeVideo({ accountId: ctx.accountId, videoId }, new AbortController().signal)
  return videoId
}

it('a video fails with the place of its damage', async () => {
  const video = await db().media.findUniqueOrThrow({ where: { id: await transcode(false) } })
  expect(video).toMatchObject({ status: 'FAILED', damage: null })
  expect(video.failureReason).toBe('The file cannot be decoded between 00:00:04 and 00:00:28. Export it again and upload the new file.')
})

it('a video with replaced parts states them in its processing, on its page and in its log', async () => {
  const videoId = await transcode(true)
  const video = await db().media.findUniqueOrThrow({ where: { id: videoId }, include: { renditions: true, audio: true } })
  const log = await db().videoLog.findMany({ where: { videoId } })
  expect([video.status, video.failureReason]).toEqual(['COMPLETED', null])
  for (const list of [...video.renditions, ...video.audio]) {
    const seconds = (list.segments as [string, number][]).reduce((sum, [, durationSec]) => sum + durationSec, 0)
    expect(seconds).toBeCloseTo(50, 0)
  }
  const { warnings } = await getProcessing(ctx, { videoId })
  expect(warnings).toEqual([
    {
      ...{ part: 'picture', track: null, startSec: 4, endSec: 28 },
      text: 'The video could not be decoded between 00:00:04 and 00:00:28. A neighboring frame is shown instead.',
    },
    {
      ...{ part: 'audio', track: 'Track 1', startSec: expect.closeTo(4, 0), endSec: expect.closeTo(45, 0) },
      text: 'The audio (Track 1) could not be decoded between 00:00:04 and 00:00:45. It is silent there.',
    },
  ])
  const texts = warnings.map(({ text }) => text)
  expect((await getForDashboard(ctx, { videoId })).damage).toEqual(texts)
  expect(log.map(({ message }) => message)).toEqual(expect.arrayContaining(texts))
})
