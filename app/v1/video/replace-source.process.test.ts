import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { JOBS } from '../../../server/jobs.ts'
import { verifyCounters } from '../../../server/modules/backups/prove.ts'
import { masterPlaylistUrl } from '../../../server/modules/delivery/sessions/media-permit.ts'
import { storageOf } from '../../../server/modules/identity/accounts/storage.ts'
import { removeFormerMedia } from '../../../server/modules/media/remove-former-media.ts'
import { removeDueMedia } from '../../../server/modules/media/remove-media.ts'
import { storeExtra } from '../../../server/modules/videos/extras.ts'
import { extraKey } from '../../../server/modules/videos/media-keys.ts'
import { purgeVideos } from '../../../server/modules/videos/remove.ts'
import { db } from '../../../server/platform/database/database.ts'
import { ffmpeg } from '../../../server/platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../server/platform/job-queue.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeMediaFile, shortClip } from '../../../server/testing/media/media-files.ts'
import { otherClip, replacer, storedUnder } from '../../../server/testing/media/replacing.ts'
import { transcodedVideo } from '../../../server/testing/media/transcoded.ts'
import { recount } from '../../../server/testing/recount.ts'
import { likeVideo } from '../../../server/testing/tus-client.ts'
import { pendingVideo } from '../../../server/testing/upload.ts'

const { dataDir } = await testDatabase()
const baseUrl = await startHttpServer()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

const signal = new AbortController().signal
const fetched = async (url: string) => {
  const answer = await fetch(url)
  return { status: answer.status, text: await answer.text() }
}
const plays = async (url: string) => expect(await ffmpeg(['-i', url, '-map', '0', '-f', 'null', '-'])).toBe('')
const eventsOf = async (accountId: string) =>
  (await db().webhookEvent.findMany({ where: { accountId }, orderBy: { createdAt: 'asc' } })).map(({ type, payload }) => ({
    type,
    data: JSON.parse(payload).data,
  }))

/** Returns a video file with subtitles in German and English. */
async function withSubtitles() {
  const text = join(dataDir, 'subtitles.srt')
  await writeFile(text, '1\n00:00:00,000 --> 00:00:01,000\nGuten Tag\n')
  const languages = ['-metadata:s:s:0', 'language=deu', '-metadata:s:s:1', 'language=eng']
  const maps = ['-map', '0', '-map', '1', '-map', '1', '-c', 'copy', '-c:s', 'mov_text']
  return makeMediaFile('subtitles.mp4', ['-i', await otherClip(), '-i', text, ...maps, ...languages])
}

async function completedVideo(caller: Awaited<ReturnType<typeof replacer>>, options = {}) {
  const id = await transcodedVideo(caller.ctx, await shortClip(), { targetQuality: '360p', ...options })
  await db().video.update({ where: { id }, data: { title: 'Lesson 1', externalId: 'lesson-1', metadata: { course: 'physics' } } })
  return id
}

it.each([true, false])(
  'plays the former renditions until the new ones are complete, then both (encrypted: %s)',
  async (encrypted) => {
    const caller = await replacer(baseUrl)
    const id = await completedVideo(caller, { encrypted })
    const former = await db().media.findUniqueOrThrow({ where: { id } })
    const session = masterPlaylistUrl(id, 9).url
    const before = await fetched(session)
    const uploadId = await caller.sent(id, await otherClip())
    expect(await caller.get(uploadId)).toMatchObject({ status: 'completed', videoId: id })
    const [row = ''] = await caller.pending(id)
    expect(await fetched(session)).toEqual(before)
    expect((await db().media.findUniqueOrThrow({ where: { id } })).sourceKey).toBe(former.sourceKey)
    expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))

    await caller.transcode(row)
    const video = await db().video.findUniqueOrThrow({ where: { id } })
    expect(video).toMatchObject({ status: 'COMPLETED', durationSec: 6, mediaId: row, title: 'Lesson 1', externalId: 'lesson-1', encrypted })
    expect(video.metadata).toEqual({ course: 'physics' })
    const after = await db().media.findUniqueOrThrow({ where: { id: row }, include: { renditions: true } })
    expect(after.startedAt).not.toEqual(former.startedAt)
    expect(video.qualities).toEqual(after.renditions.map(({ quality }) => quality))
    expect(await caller.pending(id)).toEqual([])
    // The lists of a running session are those that it loaded; a new one gets the new ones.
    await vi.waitFor(async () => expect((await fetched(session)).text).toContain(`240p-${row}.m3u8`))
    const oldList = session.replace('master', '360p')
    const listed = await fetched(oldList)
    expect([listed.status, listed.text.match(/#EXTINF/g)?.length]).toEqual([200, 3])
    expect(listed.text).toContain(`/cdn/segments/${id}/`)
    await plays(oldList)
    await plays(masterPlaylistUrl(id, 6).url)
    for (const name of former.posterCandidates.slice(0, 1))
      expect((await fetch(session.replace('master.m3u8', `poster-${name}.jpg`))).status).toBe(200)
    expect((await fetch(session.replace('master.m3u8', 'poster.jpg'))).status).toBe(200)
    expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
    expect((await storageOf(caller.ctx.accountId)).videos).toBe(1)
    expect(await verifyCounters()).toEqual([])

    // A session of the former media may still run.
    expect(await removeFormerMedia()).toBe(0)
    await db().media.updateMany({ where: { videoId: id, keptUntil: { not: null } }, data: { keptUntil: new Date(0) } })
    expect(await removeFormerMedia()).toBe(1)
    await removeDueMedia(signal)
    expect(await storedUnder(id)).toEqual([])
    expect((await storedUnder(row)).length).toBeGreaterThan(3)
    await plays(masterPlaylistUrl(id, 6).url)
    expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
    expect(await db().video.count({ where: { accountId: caller.ctx.accountId } })).toBe(1)
  },
  180_000,
)

it('a second replacement keeps the sets of all sessions', async () => {
  const caller = await replacer(baseUrl)
  const id = await completedVideo(caller)
  const sessions = [masterPlaylistUrl(id, 9).url.replace('master', '360p')]
  for (const file of [await otherClip(), await shortClip()]) {
    await caller.sent(id, file, { targetQuality: '360p' })
    const [row = ''] = await caller.pending(id)
    await caller.transcode(row)
    sessions.push(masterPlaylistUrl(id, 9).url.replace('master', `240p-${row}`))
  }
  for (const session of sessions) await plays(session)
  expect((await fetched(sessions[1] ?? '')).text).not.toBe((await fetched(sessions[2] ?? '')).text)
  await db().media.updateMany({ where: { videoId: id, keptUntil: { not: null } }, data: { keptUntil: new Date(0) } })
  expect(await removeFormerMedia()).toBe(2)
  await removeDueMedia(signal)
  await plays(masterPlaylistUrl(id, 9).url)
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
})

it('a FAILED video becomes COMPLETED', async () => {
  const caller = await replacer(baseUrl)
  const id = await completedVideo(caller)
  await db().rendition.deleteMany({ where: { mediaId: id } })
  await db().media.update({ where: { id }, data: { status: 'FAILED', failureReason: 'Damaged.', contentKey: null } })
  await caller.sent(id, await otherClip())
  const [row = ''] = await caller.pending(id)
  await caller.transcode(row)
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'COMPLETED', mediaId: row, durationSec: 6 })
  const [event] = (await eventsOf(caller.ctx.accountId)).filter(({ type }) => type === 'video.processing.completed')
  expect(event?.data).toMatchObject({ videoId: id, durationSec: 6 })
  await plays(masterPlaylistUrl(id, 6).url)
})

it('a file that cannot be transcoded changes nothing and leaves nothing', async () => {
  const caller = await replacer(baseUrl)
  const id = await completedVideo(caller)
  const before = await db().video.findUniqueOrThrow({ where: { id } })
  const uploadId = await caller.sent(id, likeVideo(20_000))
  const [row = ''] = await caller.pending(id)
  await caller.transcode(row)
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toEqual(before)
  expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'TRANSCODING_FAILED', videoId: null })
  const failed = (await eventsOf(caller.ctx.accountId)).filter(({ type }) => type !== 'video.created')
  expect(failed.map(({ type, data }) => [type, data.uploadId, data.code])).toEqual([['upload.failed', uploadId, 'TRANSCODING_FAILED']])
  await removeDueMedia(signal)
  expect([await storedUnder(row), await caller.pending(id)]).toEqual([[], []])
  await plays(masterPlaylistUrl(id, 9).url)
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
})

it('a video that is being transcoded is finished before its source is replaced', async () => {
  const caller = await replacer(baseUrl)
  const id = await pendingVideo(caller.ctx, await shortClip(), { targetQuality: '360p' })
  await caller.sent(id, await otherClip())
  const [row = ''] = await caller.pending(id)
  const replacing = caller.transcode(row)
  const waits = async () =>
    (await db().transcodeTask.findFirst({ where: { mediaId: row, kind: 'finish', leasedUntil: null }, select: { dueAt: true } })) !== null
  await vi.waitFor(async () => expect(await waits()).toBe(true))
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'PENDING', mediaId: id })
  await caller.transcode(id)
  await replacing
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'COMPLETED', mediaId: row, durationSec: 6 })
  const completed = (await eventsOf(caller.ctx.accountId)).filter(({ type }) => type === 'video.processing.completed')
  expect(completed.map(({ data }) => [data.videoId, data.durationSec])).toEqual([
    [id, 9],
    [id, 6],
  ])
  await plays(masterPlaylistUrl(id, 6).url)
})

it('the file that is received last counts', async () => {
  const caller = await replacer(baseUrl)
  const id = await completedVideo(caller)
  const first = await caller.sent(id, await otherClip())
  const [superseded = ''] = await caller.pending(id)
  const second = await caller.sent(id, await otherClip())
  const pending = await caller.pending(id)
  expect([pending.length, pending.includes(superseded)]).toEqual([1, false])
  expect(await caller.get(first)).toMatchObject({ status: 'failed', failureCode: 'SUPERSEDED' })
  expect(await caller.get(second)).toMatchObject({ status: 'completed', videoId: id })
  await removeDueMedia(signal)
  expect(await storedUnder(superseded)).toEqual([])
  await caller.transcode(pending[0] ?? '')
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toMatchObject({ mediaId: pending[0] })
})

it('a deleted video drops its new source, and is restored with its former one', async () => {
  const caller = await replacer(baseUrl)
  const id = await completedVideo(caller)
  const before = await db().video.findUniqueOrThrow({ where: { id } })
  const late = await caller.created(id)
  const uploadId = await caller.sent(id, await otherClip())
  const [row = ''] = await caller.pending(id)
  expect((await caller.call('DELETE', `/v1/video/${id}`)).status).toBe(200)
  expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'VIDEO_UNAVAILABLE' })
  // A file that arrives afterwards is refused, and removed.
  expect((await caller.sendTo(late.uploadUrl, new Uint8Array(likeVideo(9_000)))).status).toBe(410)
  expect(await caller.get(late.uploadId)).toMatchObject({ status: 'failed', failureCode: 'VIDEO_UNAVAILABLE' })
  await removeDueMedia(signal)
  const { videoId: refused } = await db().directUpload.findUniqueOrThrow({ where: { id: late.uploadId } })
  expect([await storedUnder(row), await storedUnder(refused)]).toEqual([[], []])
  expect((await caller.call('POST', `/v1/video/${id}/restore`)).status).toBe(200)
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toEqual(before)
  await plays(masterPlaylistUrl(id, 9).url)
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
})

it('a purge removes the media of all sets', async () => {
  const caller = await replacer(baseUrl)
  const id = await completedVideo(caller)
  await caller.sent(id, await otherClip())
  const [row = ''] = await caller.pending(id)
  await caller.transcode(row)
  await db().video.update({ where: { id }, data: { deletedAt: new Date(0) } })
  expect(await purgeVideos()).toBe(1)
  await removeDueMedia(signal)
  expect([await storedUnder(id), await storedUnder(row)]).toEqual([[], []])
  expect(await db().video.count({ where: { accountId: caller.ctx.accountId } })).toBe(0)
  expect(await storageOf(caller.ctx.accountId)).toMatchObject({ totalBytes: 0, videos: 0 })
  expect(await verifyCounters()).toEqual([])
})

it('captions of the owner stay, and those of the former source give way to those of the new one', async () => {
  const caller = await replacer(baseUrl)
  const id = await completedVideo(caller)
  const captions = { cues: 1, bytes: 9 }
  const [byHand, found] = [await storeExtra(id, Buffer.from('WEBVTT\n\nby hand')), await storeExtra(id, Buffer.from('WEBVTT\n\nfound'))]
  await db().caption.create({ data: { ...captions, videoId: id, language: 'en', label: 'English', name: byHand } })
  await db().caption.create({ data: { ...captions, videoId: id, language: 'fr', label: 'Français', name: found, fromSource: true } })
  await caller.sent(id, await withSubtitles())
  const [row = ''] = await caller.pending(id)
  await caller.transcode(row)
  const after = await db().caption.findMany({ where: { videoId: id }, orderBy: { language: 'asc' } })
  const name = after[0]?.name ?? ''
  expect(after.map((one) => [one.language, one.name, one.fromSource])).toEqual([
    ['de', expect.not.stringMatching(`${byHand}|${found}`), true],
    ['en', byHand, false],
  ])
  // The former source's captions stay as a version.
  const extras = (await storedUnder(id)).filter((key) => key.startsWith('extras/'))
  expect(extras.sort()).toEqual([byHand, found, name].map((one) => extraKey(id, one)).sort())
  expect(await db().captionVersion.findMany({ where: { videoId: id }, select: { language: true, name: true } })).toEqual([
    { language: 'fr', name: found },
  ])
})
