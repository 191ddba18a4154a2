import { beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db, query } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { beginDue, countWatchedEncodings, getWatchedEncodings, noteWatched } from './watched-encodings.ts'

await testDatabase()
provide({ STORAGE_RESERVE_BYTES: '0' })
let owner: AccountCtx

beforeEach(async () => {
  provide({ AV1_AFTER_HOURS: '20', SLOWER_PRESET_AFTER_HOURS: '' })
  await db().video.deleteMany({})
  owner = await makeAccount()
})

/** Makes a video that x264 encoded with its first preset, watched for some hours today, and for others 40 days ago. */
async function makeWatched(hours: number, { before = 0, h264Preset = 'veryfast' as string | null, completedAt = new Date() } = {}) {
  const videoId = await makeVideo(owner, { completedAt })
  await db().media.update({ where: { id: videoId }, data: { h264Preset } })
  await db().rendition.create({
    data: {
      ...{ mediaId: videoId, quality: '720p', width: 1_280, height: 720, bandwidth: 6e6, averageBandwidth: 5e6, frameRate: 30 },
      ...{ codecs: 'avc1.64001f', bytes: 400n, segments: [] },
    },
  })
  await watch(videoId, hours)
  await watch(videoId, before, 40)
  return videoId
}

const watch = async (videoId: string, hours: number, daysAgo = 0) => {
  if (hours > 0) await query('test-watch', WATCH, [videoId, owner.accountId, daysAgo, Math.round(hours * 3_600_000)])
}
const WATCH = `
  INSERT INTO view_day AS held (video_id, account_id, day, plays, watch_ms)
  VALUES ($1, $2, (service_now() AT TIME ZONE 'UTC')::date - $3::int, 1, $4)
  ON CONFLICT (video_id, day) DO UPDATE SET watch_ms = held.watch_ms + EXCLUDED.watch_ms`

const queued = () =>
  db().transcodeQueue.findMany({ select: { codec: true, media: { select: { videoId: true, reencodes: true, h264Preset: true } } } })
const shown = async (videoId: string) => (await getWatchedEncodings(owner, { videoId }))?.encodings

it('encodes a video in AV1 once it was watched for the hours of the setting, and one at a time', async () => {
  const [enough, below] = [await makeWatched(5, { before: 15.1 }), await makeWatched(12.44)]
  await noteWatched()
  expect(await getWatchedEncodings(owner, { videoId: below })).toEqual({
    watchedHours: 12.44,
    preset: 'medium',
    encodings: { av1: { afterHours: 20, state: 'below' }, slower: null },
  })
  expect(await shown(enough)).toMatchObject({ av1: { state: 'due' } })
  const waiting = await makeVideo(owner, { status: 'PENDING' })
  expect(await beginDue()).toBeUndefined()
  await db().video.delete({ where: { id: waiting } })
  expect(await beginDue()).toBe(enough)
  expect(await queued()).toMatchObject([{ codec: 'av1', media: { videoId: enough, reencodes: false } }])
  expect(await shown(enough)).toMatchObject({ av1: { state: 'encoding' } })

  await watch(below, 7.56)
  await noteWatched()
  expect(await countWatchedEncodings()).toMatchObject({ av1: { afterHours: 20, stored: 0, due: 1, encoding: 1 } })
  expect(await beginDue()).toBeUndefined()
  const [rendition] = await db().rendition.findMany({ where: { mediaId: enough } })
  await db().rendition.create({
    data: { ...(rendition as NonNullable<typeof rendition>), segments: [], codec: 'av1', codecs: 'av01.0.05M.08' },
  })
  await db().transcodeQueue.deleteMany({ where: { mediaId: enough } })
  expect(await shown(enough)).toMatchObject({ av1: { state: 'stored' } })
  expect(await beginDue()).toBe(below)
  expect(await countWatchedEncodings()).toMatchObject({ av1: { stored: 1, due: 0, encoding: 1 } })
})

it('encodes every video with 0, the newest first, and none without hours', async () => {
  const [older, newer] = [await makeWatched(0, { completedAt: new Date('2026-01-01') }), await makeWatched(0)]
  provide({ AV1_AFTER_HOURS: '' })
  await noteWatched()
  expect([await beginDue(), await shown(newer)]).toEqual([undefined, { av1: null, slower: null }])
  provide({ AV1_AFTER_HOURS: '0' })
  expect(await shown(older)).toMatchObject({ av1: { afterHours: 0, state: 'due' } })
  await noteWatched()
  expect(await beginDue()).toBe(newer)
  await db().transcodeQueue.deleteMany({ where: { mediaId: newer } })
  expect(await beginDue()).toBe(older)
})

it('tries each encoding of the same media once', async () => {
  const videoId = await makeWatched(20)
  await noteWatched()
  expect(await beginDue()).toBe(videoId)
  await db().transcodeQueue.deleteMany({ where: { mediaId: videoId } })
  await noteWatched()
  expect(await shown(videoId)).toMatchObject({ av1: { state: 'declined' } })
  expect(await beginDue()).toBeUndefined()
})

it('encodes with the slower preset after hours of its own, what x264 encoded with the first one', async () => {
  provide({ AV1_AFTER_HOURS: '', SLOWER_PRESET_AFTER_HOURS: '100' })
  const [videoId, copied, below] = [await makeWatched(100), await makeWatched(100, { h264Preset: null }), await makeWatched(99.9)]
  await noteWatched()
  expect(await countWatchedEncodings()).toMatchObject({ slower: { afterHours: 100, due: 1 } })
  expect([await shown(copied), await shown(below)]).toMatchObject([{ slower: null }, { slower: { afterHours: 100, state: 'below' } }])
  expect(await beginDue()).toBe(videoId)
  expect(await queued()).toEqual([{ codec: null, media: { videoId, reencodes: true, h264Preset: 'medium' } }])
  expect(await shown(videoId)).toMatchObject({ av1: null, slower: { state: 'encoding' } })
})

it('passes over a video that cannot get AV1, and one whose account is suspended', async () => {
  const early = await makeWatched(50)
  await db().rendition.updateMany({ where: { mediaId: early }, data: { codec: 'av1' } })
  const own = owner
  owner = await makeAccount()
  const suspended = await makeWatched(50)
  await noteWatched()
  expect(await db().media.findMany({ where: { av1State: 'due' }, select: { id: true } })).toEqual([{ id: suspended }])
  await db().account.update({ where: { id: owner.accountId }, data: { suspendedAt: new Date() } })
  owner = own
  const other = await makeWatched(21, { completedAt: new Date('2026-01-01') })
  await noteWatched()
  expect(await beginDue()).toBe(other)
})

it('shows a video to its account alone, once it is complete', async () => {
  const videoId = await makeWatched(5)
  await expect(getWatchedEncodings(await makeAccount(), { videoId })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  expect(await getWatchedEncodings(owner, { videoId: await makeVideo(owner, { status: 'PENDING' }) })).toBeNull()
})
