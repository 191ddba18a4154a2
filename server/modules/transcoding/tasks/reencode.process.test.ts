import { afterAll, beforeAll, expect, it } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { shortClip } from '../../../testing/media/media-files.ts'
import { replacer, storedUnder } from '../../../testing/media/replacing.ts'
import { transcodedVideo } from '../../../testing/media/transcoded.ts'
import { recount } from '../../../testing/recount.ts'
import { masterPlaylistUrl } from '../../delivery/sessions/media-permit.ts'
import { storageOf } from '../../identity/accounts/storage.ts'
import { removeFormerMedia } from '../../media/remove-former-media.ts'
import { removeDueMedia } from '../../media/remove-media.ts'
import { sourceKey } from '../../videos/media-keys.ts'
import { beginReencode, requestReencode } from './reencode.ts'

await testDatabase()
const baseUrl = await startHttpServer()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

const plays = async (url: string) => expect(await ffmpeg(['-i', url, '-map', '0', '-f', 'null', '-'])).toBe('')
const videoOf = (id: string) => db().video.findUniqueOrThrow({ where: { id } })
const mediaOf = (videoId: string) => db().media.findFirstOrThrow({ where: { playing: { id: videoId } }, include: { renditions: true } })
const lastLine = async (videoId: string) => (await db().videoLog.findFirstOrThrow({ where: { videoId }, orderBy: { id: 'desc' } })).message
const eventsOf = async (accountId: string) => (await db().webhookEvent.findMany({ where: { accountId } })).map(({ type }) => type)

/** Requests the re-encoding of a new video, and does it. `factor`: bytes that its renditions had, of those that they need. */
async function reencoded(factor: number) {
  const caller = await replacer(baseUrl)
  const id = await transcodedVideo(caller.ctx, await shortClip(), { targetQuality: '360p' })
  const { posterCandidates } = await mediaOf(id)
  await db().video.update({ where: { id }, data: { poster: posterCandidates.at(-1) ?? null } })
  const [former, media] = [await videoOf(id), await mediaOf(id)]
  for (const { quality, bytes } of media.renditions)
    await db().rendition.updateMany({ where: { mediaId: id, quality }, data: { bytes: BigInt(Math.round(Number(bytes) * factor)) } })
  const [session, events] = [masterPlaylistUrl(id, 9).url, await eventsOf(caller.ctx.accountId)]
  await requestReencode(caller.ctx, { videoId: id })
  expect(await beginReencode()).toBe(true)
  const [row = ''] = await caller.pending(id)
  await plays(session)
  await caller.transcode(row)
  expect(await caller.pending(id)).toEqual([])
  // For its owner, and for systems that are informed by webhook, it is the same video.
  expect(await eventsOf(caller.ctx.accountId)).toEqual(events)
  return { caller, id, former, sourceBytes: media.sourceBytes, session, row }
}

it('a video in fewer bytes takes the place of the former one, whose sessions go on', async () => {
  const { caller, id, former, sourceBytes, session, row } = await reencoded(2)
  const [after, media] = [await videoOf(id), await mediaOf(id)]
  expect(after).toMatchObject({ status: 'COMPLETED', mediaId: row, qualities: former.qualities })
  expect(media.sourceKey).toBe(sourceKey(row))
  expect([after.completedAt, after.title]).toEqual([former.completedAt, former.title])
  expect(after.poster).toBe(media.posterCandidates.at(-1))
  expect(await lastLine(id)).toMatch(/^Re-encoded: \d+\.\d MB instead of \d+\.\d MB \(\d\d % less\)\.$/)
  await plays(session)
  await plays(masterPlaylistUrl(id, 9).url)

  await db().media.updateMany({ where: { videoId: id, keptUntil: { not: null } }, data: { keptUntil: new Date(0) } })
  expect(await removeFormerMedia()).toBe(1)
  await removeDueMedia(new AbortController().signal)
  expect(await storedUnder(id)).toEqual([])
  expect(await storage().stat(sourceKey(row))).toEqual({ bytes: Number(sourceBytes) })
  await plays(masterPlaylistUrl(id, 9).url)
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
})

it('a video that does not become smaller stays as it is, and nothing of the attempt is left', async () => {
  const { caller, id, row } = await reencoded(1)
  const after = await videoOf(id)
  expect([after.mediaId, after.status]).toEqual([id, 'COMPLETED'])
  expect(await lastLine(id)).toMatch(
    /^Re-encoding would save too little \(\d+\.\d MB instead of \d+\.\d MB\)\. The video stays as it is\.$/,
  )
  await removeDueMedia(new AbortController().signal)
  expect(await storedUnder(row)).toEqual([])
  expect(await storage().stat((await mediaOf(id)).sourceKey)).toBeDefined()
  await plays(masterPlaylistUrl(id, 9).url)
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
})
