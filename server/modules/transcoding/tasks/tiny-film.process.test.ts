import { chmod, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { env } from '../../../platform/config/config.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpegProgram } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeMediaFile, shortClip } from '../../../testing/media/media-files.ts'
import { inputs, isShort } from '../../../testing/media/rounds.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'

expectLoggedErrors(/could not create posters and seek previews/)
const { dataDir } = await testDatabase()
let ctx: AccountCtx
beforeAll(async () => {
  await startQueue(JOBS)
  ctx = await makeAccount()
})
afterAll(stopQueue)

async function transcoded(path: string) {
  const id = await pendingVideo(ctx, path, { targetQuality: '240p' })
  for (let tries = 0; tries < 3; tries++)
    await transcodeVideo({ accountId: ctx.accountId, videoId: id }, new AbortController().signal).catch(() => {})
  const media = await db().media.findUniqueOrThrow({ where: { id } })
  return { ...media, log: await db().videoLog.findMany({ where: { videoId: id }, orderBy: { id: 'asc' } }) }
}

// At one frame a second a segment has nine packets, which ffmpeg detects as another format unless it is given.
it.each(
  inputs([
    ['black', 'color=black:size=64x36:rate=1:duration=220', 3.5],
    ['dark and small', 'color=0x101010:size=16x16:rate=5:duration=30', 0.5],
    ['of one key frame', 'testsrc2=size=64x36:rate=10:duration=2', 0],
  ] as const),
)('transcode of a tiny video (%s) creates its pictures', async (name, source, minutes) => {
  const path = await makeMediaFile(`${name.replaceAll(' ', '-')}.mp4`, [
    '-f',
    'lavfi',
    '-i',
    source,
    '-c:v',
    'libx264',
    '-pix_fmt',
    'yuv420p',
  ])
  const video = await transcoded(path)
  expect([video.status, video.failureReason]).toEqual(['COMPLETED', null])
  expect(Math.round(video.durationSec / 30) / 2).toBe(minutes)
  expect(video.poster).not.toBeNull()
  expect(video.posterCandidates.length).toBeGreaterThan(0)
  expect(video.storyboard).toMatchObject({ sheets: expect.arrayContaining([expect.any(String)]) })
})

it.skipIf(isShort)('transcode completes a video whose pictures cannot be created and logs it', async () => {
  const real = ffmpegProgram()
  const { FFMPEG_PATH: before = '' } = env()
  const path = await shortClip()
  // An ffmpeg that fails only for pictures.
  const failing = join(dataDir, 'no-pictures')
  await writeFile(failing, `#!/bin/sh\ncase "$*" in *sheet-*) echo 'Conversion failed!' >&2; exit 1;; esac\nexec '${real}' "$@"\n`)
  await chmod(failing, 0o755)
  // It starts the real one, which a confined program may read only if it is listed.
  provide({ FFMPEG_PATH: failing, FFMPEG_READS: isAbsolute(real) ? real : '' })
  renew('ffmpegPrograms')
  const video = await transcoded(path)
  provide({ FFMPEG_PATH: before, FFMPEG_READS: '' })
  renew('ffmpegPrograms')
  expect([video.status, video.failureReason, video.attempts]).toEqual(['COMPLETED', null, 1])
  expect([video.poster, video.posterCandidates, video.storyboard]).toEqual([null, [], null])
  expect(video.log.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^We could not create posters and seek previews/))
})
