import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { sampleClipArguments } from '../quality/sample-clip.ts'

expectLoggedErrors(/transcoding failed/)
await testDatabase()
// The system's, which production uses: with ffmpeg 7 under load, the reason is sometimes a damaged file.
provide({ FFMPEG_PATH: '' })
renew('ffmpegPrograms')
let ctx: AccountCtx
let clip: string
beforeAll(async () => {
  clip = await makeMediaFile('fhd.mp4', sampleClipArguments({ seconds: 1, width: 1920, height: 1080, rate: 30 }))
  await startQueue(JOBS)
  ctx = await makeAccount()
})
afterAll(stopQueue)

it.runIf(process.platform === 'linux').each([300, 600])(
  'transcode fails a video that exceeds its limit of %i MB with a reason about memory, not about a damaged file',
  async (megabytes) => {
    provide({ TRANSCODE_MEMORY_MB: String(megabytes), TRANSCODE_THREADS: '8' })
    // The detected features of programs are cached for the lifetime of a process.
    renew('sandbox')
    const id = await pendingVideo(ctx, clip, { targetQuality: '1080p' })
    for (let tries = 0; tries < 3; tries++)
      await transcodeVideo({ accountId: ctx.accountId, videoId: id }, new AbortController().signal).catch(() => {})
    const { status, failureReason } = await db().media.findUniqueOrThrow({ where: { id } })
    expect([status, failureReason]).toEqual(['FAILED', expect.stringMatching(/exceeds the memory limit/)])
  },
)
