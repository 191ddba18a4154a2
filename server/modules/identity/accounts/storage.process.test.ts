import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { shortClip } from '../../../testing/media/media-files.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { recount } from '../../../testing/recount.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { removeMedia } from '../../media/remove-media.ts'
import { admitUpload } from '../../uploads/admission.ts'
import { putCaptions, removeCaptions } from '../../videos/captions/captions.ts'
import { uploadPoster } from '../../videos/poster.ts'
import { purgeVideos, removeVideo, restoreVideo } from '../../videos/remove.ts'
import { deleteAccount } from './delete-account.ts'
import { purgeAccounts } from './purge-account.ts'
import { mergeStorageRows, storageOfAll, storageUsage } from './storage.ts'

const { dataDir } = await testDatabase()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

const never = new AbortController().signal
async function usage(ctx: AccountCtx) {
  const { limits: _, ...stored } = await storageUsage(ctx)
  return stored
}
const rows = async (ctx: AccountCtx) =>
  (await query<{ n: number }>('test-rows', 'SELECT count(*)::int AS n FROM storage_count WHERE account_id = $1', [ctx.accountId]))[0]?.n

/** Sizes of all files of the media store. */
const onDisk = () =>
  readdirSync(join(dataDir, 'media'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

const CAPTIONS = { language: 'en', label: 'English', text: '00:00.000 --> 00:01.000\nHello\n' }

it('equals the bytes on disk from the upload to the purge', async () => {
  const ctx = await makeAccount()
  const videoId = await pendingVideo(ctx, await shortClip(), { targetQuality: '360p' })
  expect(await usage(ctx)).toMatchObject({ originalBytes: onDisk(), renditionBytes: 0, videos: 1 })
  await transcodeVideo({ accountId: ctx.accountId, videoId }, never)
  expect(await usage(ctx)).toMatchObject({ totalBytes: onDisk() })

  await putCaptions(ctx, { videoId, ...CAPTIONS })
  await putCaptions(ctx, { videoId, ...CAPTIONS, text: `${CAPTIONS.text}\n00:02.000 --> 00:03.000\nThere\n` })
  const poster = join(dataDir, 'poster.png')
  await ffmpeg(['-f', 'lavfi', '-i', 'testsrc=s=320x180', '-frames:v', '1', poster])
  await uploadPoster(ctx, { videoId, image: readFileSync(poster) })
  const whole = await usage(ctx)
  expect(whole.totalBytes).toBe(onDisk())
  expect(whole).toEqual(await recount(ctx.accountId))

  await removeCaptions(ctx, { videoId, language: 'en' })
  expect((await usage(ctx)).totalBytes).toBe(onDisk())
  await removeVideo(ctx, { videoId })
  expect((await usage(ctx)).totalBytes).toBe(onDisk())
  await restoreVideo(ctx, { videoId })
  expect((await usage(ctx)).totalBytes).toBe(onDisk())

  await removeVideo(ctx, { videoId })
  await db().$executeRaw`UPDATE video SET deleted_at = service_now() - interval '8 days' WHERE id = ${videoId}`
  const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: videoId } })
  await purgeVideos()
  await removeMedia(videoId)
  await storage().delete(sourceKey)
  expect([await usage(ctx), onDisk()]).toEqual([
    { originalBytes: 0, renditionBytes: 0, unfinishedBytes: 0, totalBytes: 0, videos: 0, uploads: 0 },
    0,
  ])
})

it('is exact while uploads, videos and captions change concurrently and the rows are folded', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => makeAccount()))
  let folding = true
  const folds = Promise.all(
    [1, 2].map(async () => {
      while (folding) await mergeStorageRows()
    }),
  )
  await Promise.all(
    accounts.flatMap((ctx, at) =>
      Array.from({ length: 4 }, async (_, lane) => {
        for (let round = 0; round < 5; round++) {
          const id = `${at}-${lane}-${round}`
          await admitUpload(ctx, { id, size: 1_000 + round })
          const videoId = await makeVideo(ctx, { sourceBytes: 700n })
          await putCaptions(ctx, { videoId, ...CAPTIONS })
          if (round % 2) await db().upload.delete({ where: { id } })
          if (round % 3 === 0) await db().video.delete({ where: { id: videoId } })
          // At every moment: a sum never contains half of a change.
          expect((await usage(ctx)).totalBytes).toBeGreaterThanOrEqual(0)
        }
      }),
    ),
  )
  folding = false
  await folds
  for (const ctx of accounts) expect(await usage(ctx)).toEqual(await recount(ctx.accountId))
  await mergeStorageRows()
  for (const ctx of accounts) {
    expect(await usage(ctx)).toEqual(await recount(ctx.accountId))
    expect(await rows(ctx)).toBe(1)
  }
  expect(await storageOfAll()).toMatchObject({ ...(await recount()) })
})

it('an account that repeatedly begins and cancels uploads has a bounded number of rows', async () => {
  const ctx = await makeAccount()
  for (let round = 0; round < 60; round++) {
    await admitUpload(ctx, { id: `loop-${round}`, size: 1 })
    await db().upload.delete({ where: { id: `loop-${round}` } })
  }
  expect(await rows(ctx)).toBeLessThan(70)
  expect(await usage(ctx)).toMatchObject({ uploads: 0, unfinishedBytes: 0 })
})

it('a deleted account leaves nothing in the sums', async () => {
  const ctx = await makeAccount()
  const others = await recount()
  await makeVideo(ctx, { sourceBytes: 5_000n })
  await admitUpload(ctx, { id: 'left-over', size: 3_000 })
  await deleteAccount(ctx, { name: 'Test' })
  await purgeAccounts(never)
  expect(await storageOfAll()).toMatchObject({ ...others })
  await mergeStorageRows()
  expect(await rows(ctx)).toBe(0)
})
