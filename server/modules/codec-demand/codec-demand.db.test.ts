import { beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db, query } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { OFFERED_UNTIL } from '../videos/further-codec.ts'
import { beginByDemand } from './begin.ts'
import { readInstallationCodec } from './installation-codec.ts'
import { judgeCodecs } from './judge.ts'
import { getVideoCodec } from './video-codec.ts'

await testDatabase()
provide({ STORAGE_RESERVE_BYTES: '0' })
const { signal } = new AbortController()
const judge = () => judgeCodecs(signal)

const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)

beforeEach(async () => {
  provide({ AV1: 'demand', H264_PRESET: 'veryfast' })
  await db().video.deleteMany({})
})

/** Makes a video of ten minutes and 400 MB that was complete 100 days ago. */
async function makeWatched(owner: AccountCtx, playsPerDay: number, days = 28): Promise<string> {
  const videoId = await makeVideo(owner, { durationSec: 600, completedAt: ago(100) })
  await db().rendition.create({
    data: {
      ...{ videoId, quality: '720p', width: 1_280, height: 720, bandwidth: 6e6, averageBandwidth: 5_333_333, frameRate: 30 },
      ...{ codecs: 'avc1.64001f', bytes: 400_000_000n, segments: [] },
    },
  })
  await watch(owner, videoId, playsPerDay, days)
  return videoId
}

/** Adds viewings of the last days, each to the end. */
const watch = ({ accountId }: AccountCtx, videoId: string, plays: number, days: number) =>
  query(
    'test-watch',
    `INSERT INTO view_day (video_id, account_id, day, plays, watch_ms)
     SELECT $1, $2, (service_now() AT TIME ZONE 'UTC')::date - at, $3::int, $3::bigint * 600000 FROM generate_series(0, $4::int - 1) AS at`,
    [videoId, accountId, plays, days],
  )

/** Completes the encoding that was begun, with these bytes. */
async function complete(videoId: string, bytes: bigint, completedAt = new Date()): Promise<void> {
  const row = await db().video.findFirstOrThrow({ where: { replaces: videoId } })
  await db().video.update({ where: { id: row.id }, data: { status: 'PROCESSING' } })
  await db().video.update({ where: { id: row.id }, data: { status: 'COMPLETED', completedAt, keptUntil: new Date(OFFERED_UNTIL) } })
  await db().rendition.create({
    data: {
      ...{ videoId: row.id, quality: '720p', width: 1_280, height: 720, bandwidth: 3e6, averageBandwidth: 2e6, frameRate: 30 },
      ...{ codecs: 'av01.0.05M.08', bytes, segments: [] },
    },
  })
}

const decisions = (videoId: string) => db().codecDecision.findMany({ where: { videoId }, orderBy: { id: 'asc' } })

it('encodes what saves most first, while nothing is transcoded, and not what does not pay', async () => {
  const owner = await makeAccount()
  const [some, many, few] = [await makeWatched(owner, 5), await makeWatched(owner, 50), await makeWatched(owner, 1, 1)]
  const unwatched = await makeWatched(owner, 0, 0)
  await judge()
  expect((await db().codecDecision.findMany()).map(({ videoId }) => videoId).toSorted()).toEqual([some, many].toSorted())
  expect(await getVideoCodec(owner, { videoId: many })).toMatchObject({ state: 'waiting', mode: 'demand', stored: null, month: null })
  for (const videoId of [few, unwatched]) expect(await getVideoCodec(owner, { videoId })).toMatchObject({ state: 'notWorth' })
  expect((await getVideoCodec(owner, { videoId: few }))?.forecast.net).toBeLessThan(0)

  const waiting = await makeVideo(owner, { status: 'PENDING' })
  expect(await beginByDemand()).toBeUndefined()
  await db().video.delete({ where: { id: waiting } })
  expect(await beginByDemand()).toBe(many)
  expect(await beginByDemand()).toBeUndefined()
  expect(await getVideoCodec(owner, { videoId: many })).toMatchObject({ state: 'encoding' })

  await complete(many, 200_000_000n)
  expect(await beginByDemand()).toBe(some)
  const [made] = await decisions(many)
  expect(made).toMatchObject({ bytes: 200_000_000n, h264Bytes: 400_000_000n, endedAt: null })
  expect(await getVideoCodec(owner, { videoId: many })).toMatchObject({ state: 'stored', stored: { bytes: 200e6, h264Bytes: 400e6 } })
})

it('decides again whether what waits still pays', async () => {
  const owner = await makeAccount()
  const videoId = await makeWatched(owner, 5)
  await judge()
  expect(await decisions(videoId)).toHaveLength(1)
  await query('test-unwatched', 'DELETE FROM view_day WHERE video_id = $1', [videoId])
  await judge()
  expect(await decisions(videoId)).toEqual([])
  await watch(owner, videoId, 5, 28)
  provide({ AV1: 'never' })
  await judge()
  expect([await decisions(videoId), (await getVideoCodec(owner, { videoId }))?.state]).toEqual([[], 'off'])
})

it('encodes every video with `always`, the newest first', async () => {
  provide({ AV1: 'always' })
  const owner = await makeAccount()
  const [older, newer] = [await makeWatched(owner, 0, 0), await makeWatched(owner, 0, 0)]
  await db().video.update({ where: { id: older }, data: { completedAt: ago(200) } })
  await judge()
  expect(await beginByDemand()).toBe(newer)
  await complete(newer, 100n)
  await judge()
  expect(await beginByDemand()).toBe(older)
})

it('does not repeat what was dropped', async () => {
  const owner = await makeAccount()
  const videoId = await makeWatched(owner, 50)
  await judge()
  expect(await beginByDemand()).toBe(videoId)
  await db().video.deleteMany({ where: { replaces: videoId } })
  await query('test-earlier', "UPDATE codec_decision SET begun_at = begun_at - interval '2 minutes'", [])
  await judge()
  expect(await decisions(videoId)).toEqual([expect.objectContaining({ endReason: 'dropped' })])
  expect((await getVideoCodec(owner, { videoId }))?.state).toBe('dropped')
  await judge()
  expect(await beginByDemand()).toBeUndefined()
})

it('passes over a video that cannot get the codec, and takes the next one', async () => {
  const owner = await makeAccount()
  const [early, other] = [await makeWatched(owner, 50), await makeWatched(owner, 5)]
  await db().rendition.updateMany({ where: { videoId: early }, data: { codecs: 'avc1.64001f,mp4a.40.2' } })
  await judge()
  expect(await beginByDemand()).toBe(other)
  expect(await decisions(early)).toEqual([expect.objectContaining({ endReason: 'refused', begunAt: null })])
  expect((await getVideoCodec(owner, { videoId: early }))?.state).toBe('refused')
})

it('compares a forecast with what happened, and evicts what no longer pays for its storage', async () => {
  const owner = await makeAccount()
  const videoId = await makeWatched(owner, 50)
  await judge()
  expect(await beginByDemand()).toBe(videoId)
  await complete(videoId, 200_000_000n)
  await judge()
  // Five weeks later: ten plays a day in the first 20 days, and none since.
  const since = ago(35)
  await query('test-past', 'UPDATE codec_decision SET begun_at = $1, completed_at = $1, judged_at = NULL', [since])
  await query('test-no-days', 'DELETE FROM view_day', [])
  await query(
    'test-days',
    `INSERT INTO view_day (video_id, account_id, day, plays, watch_ms)
     SELECT $1, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date + at, 10, 10 * 600000 FROM generate_series(0, 6) AS at`,
    [videoId, owner.accountId, since],
  )
  await judge()
  const [made] = await decisions(videoId)
  // 70 plays of 600 s at 0.7 × 5.3 Mbit/s, of which half is saved for three quarters of viewers, at a cent a gigabyte.
  const saving = ((70 * 600 * 0.7 * 5_333_333) / 8 / 1e9) * 0.5 * 0.75 * 0.01
  expect(made?.realWatchSec).toBe(42_000)
  expect(made?.realSaving).toBeCloseTo(saving, 5)
  expect(made?.realStorage).toBeCloseTo(0.2 * 0.01)
  expect(made).toMatchObject({ endReason: 'evicted' })
  expect(await db().video.count({ where: { replaces: videoId, keptUntil: new Date(OFFERED_UNTIL) } })).toBe(0)
  const shown = await getVideoCodec(owner, { videoId })
  expect(shown).toMatchObject({ state: 'notWorth', stored: null })
  expect(shown?.month?.real).toBeCloseTo(saving - 0.002 - (made?.encoding ?? 0), 5)
  expect(await readInstallationCodec('av1')).toMatchObject({
    ...{ measuredVideos: 1, videos: { stored: 0, waiting: 0, encoding: 0, dropped: 0, evicted: 1 }, bytes: 0 },
    settled: { decisions: 1 },
  })
})

it('shows a video to its account alone', async () => {
  const [owner, other] = [await makeAccount(), await makeAccount()]
  const videoId = await makeWatched(owner, 5)
  await expect(getVideoCodec(other, { videoId })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  const pending = await makeVideo(owner, { status: 'PENDING' })
  expect(await getVideoCodec(owner, { videoId: pending })).toBeNull()
})
