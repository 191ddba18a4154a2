import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { JOBS } from '../jobs.ts'
import { masterPlaylistUrl } from '../modules/delivery/sessions/media-permit.ts'
import { storageOf } from '../modules/identity/accounts/storage.ts'
import { segmentKey } from '../modules/videos/media-keys.ts'
import { db } from '../platform/database/database.ts'
import { ffmpeg } from '../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { shortClip } from '../testing/media/media-files.ts'
import { otherClip, replacer } from '../testing/media/replacing.ts'
import { rounds } from '../testing/media/rounds.ts'
import { transcodedVideo } from '../testing/media/transcoded.ts'
import { recount } from '../testing/recount.ts'
import { startWorkerProcess } from '../testing/services/worker-process.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const KILLS = rounds(2, 40)

beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

/** Returns the id of a video's media, of which everything that its rows name must be stored. */
async function wholeMedia(id: string): Promise<string> {
  const video = await db().media.findFirstOrThrow({
    where: { playing: { id } },
    include: { renditions: true, audio: true, iframes: true },
  })
  const mediaId = video.id
  const lists = [...video.renditions, ...video.audio, ...video.iframes].map(({ segments }) => segments as [string, number][])
  const keys = new Set(lists.flatMap((segments) => segments.map(([name]) => segmentKey(mediaId, name))))
  expect([video.status, video.qualities]).toEqual(['COMPLETED', video.renditions.map(({ quality }) => quality)])
  for (const key of keys) expect((await storage().stat(key))?.bytes, key).toBeGreaterThan(0)
  expect(await storage().stat(video.sourceKey)).toBeDefined()
  return mediaId
}

it(`${KILLS} workers killed while they replace a source leave the former or the new one, whole`, async () => {
  const caller = await replacer(baseUrl)
  const { accountId } = caller.ctx
  const id = await transcodedVideo(caller.ctx, await shortClip(), { targetQuality: '360p' })
  const files = [await otherClip(), await shortClip()]
  let killed = 0
  for (let replaced = 0; killed < KILLS; replaced++) {
    const before = await wholeMedia(id)
    await caller.sent(id, files[replaced % 2] as string, { targetQuality: '360p' })
    const [row = ''] = await caller.pending(id)
    const isDone = async () => (await caller.pending(id)).length === 0
    while (!(await isDone()) && killed < KILLS) {
      const worker = await startWorkerProcess('worker')
      // At any point of the second or two that one of these clips takes, the switch included.
      await wait(Math.random() * 2_000)
      await worker.kill()
      killed++
      expect([before, row]).toContain(await wholeMedia(id))
      await ffmpeg(['-i', masterPlaylistUrl(id, 9).url, '-map', '0', '-f', 'null', '-'])
      // A file on which three workers are lost while they read it fails.
      await db().transcodeTask.updateMany({ where: { mediaId: row }, data: { losses: 0 } })
    }
    const worker = await startWorkerProcess('worker')
    await vi.waitFor(async () => expect(await isDone()).toBe(true), { timeout: 180_000, interval: 200 })
    await worker.kill()
    expect(await wholeMedia(id)).toBe(row)
  }
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(accountId))
  expect(await db().webhookEvent.count({ where: { accountId, type: 'upload.failed' } })).toBe(0)
})
