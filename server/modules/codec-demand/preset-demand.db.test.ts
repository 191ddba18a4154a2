import { beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db, query } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { beginByDemand } from './begin.ts'
import { readInstallationCodec } from './installation-codec.ts'
import { judgeCodecs } from './judge.ts'
import { getVideoCodec } from './video-codec.ts'

await testDatabase()
provide({ STORAGE_RESERVE_BYTES: '0' })
const judge = () => judgeCodecs(new AbortController().signal)

const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)

beforeEach(async () => {
  provide({ AV1: 'never', H264_PRESET: 'auto' })
  await db().video.deleteMany({})
})

/** Makes a video of ten minutes and 400 MB that was complete 100 days ago. */
async function makeWatched(owner: AccountCtx, playsPerDay: number, h264Preset: string | null = 'veryfast', days = 28): Promise<string> {
  const videoId = await makeVideo(owner, { durationSec: 600, completedAt: ago(100) })
  await db().video.update({ where: { id: videoId }, data: { h264Preset } })
  await addRendition(videoId, 400_000_000n)
  await query(
    'test-watch',
    `INSERT INTO view_day (video_id, account_id, day, plays, watch_ms)
     SELECT $1, $2, (service_now() AT TIME ZONE 'UTC')::date - at, $3::int, $3::bigint * 600000 FROM generate_series(0, $4::int - 1) AS at`,
    [videoId, owner.accountId, playsPerDay, days],
  )
  return videoId
}

const addRendition = (videoId: string, bytes: bigint) =>
  db().rendition.create({
    data: {
      ...{ videoId, quality: '720p', width: 1_280, height: 720, bandwidth: 6e6, averageBandwidth: 5_333_333, frameRate: 30 },
      ...{ codecs: 'avc1.64001f', bytes, segments: [] },
    },
  })

/** Ends the re-encoding that was begun, as the pipeline does: the video has its renditions and its preset. */
async function complete(videoId: string, bytes: bigint): Promise<void> {
  const { id, h264Preset } = await db().video.findFirstOrThrow({ where: { replaces: videoId } })
  await db().video.delete({ where: { id } })
  await db().rendition.deleteMany({ where: { videoId } })
  await addRendition(videoId, bytes)
  await db().video.update({ where: { id: videoId }, data: { h264Preset } })
}

const shown = (owner: AccountCtx, videoId: string) => getVideoCodec(owner, { videoId, codec: 'h264' })
const decisions = (videoId: string) => db().codecDecision.findMany({ where: { videoId, codec: 'h264' }, orderBy: { id: 'asc' } })

it('encodes again what saves most first, and not what does not pay', async () => {
  const owner = await makeAccount()
  const [some, many, few] = [await makeWatched(owner, 20), await makeWatched(owner, 200), await makeWatched(owner, 1, 'veryfast', 1)]
  await judge()
  expect((await db().codecDecision.findMany()).map(({ videoId }) => videoId).toSorted()).toEqual([some, many].toSorted())
  expect(await shown(owner, many)).toMatchObject({ state: 'waiting', mode: 'demand', preset: 'medium', stored: null })
  expect(await shown(owner, few)).toMatchObject({ state: 'notWorth' })
  expect(await beginByDemand()).toBe(many)
  const row = await db().video.findFirstOrThrow({ where: { replaces: many } })
  expect(row).toMatchObject({ reencodes: true, addsCodec: null, h264Preset: 'medium', rateFactors: null })
  expect(await shown(owner, many)).toMatchObject({ state: 'encoding' })
  expect(await beginByDemand()).toBeUndefined()

  await complete(many, 320_000_000n)
  expect(await beginByDemand()).toBe(some)
  expect(await decisions(many)).toEqual([expect.objectContaining({ bytes: 320_000_000n, h264Bytes: 400_000_000n, endedAt: null })])
  expect(await shown(owner, many)).toMatchObject({ state: 'stored', stored: { bytes: 320e6, h264Bytes: 400e6 } })
  expect((await shown(owner, many))?.forecast.storage).toBeCloseTo(-0.0008)
  await judge()
  expect((await readInstallationCodec('h264')).videos).toMatchObject({ stored: 1, encoding: 1 })
})

it('counts viewers without AV1 alone where a video has AV1 or is going to', async () => {
  const owner = await makeAccount()
  const videoId = await makeWatched(owner, 200)
  const before = (await shown(owner, videoId))?.forecast.saving ?? 0
  await db().codecDecision.create({ data: { videoId, codec: 'av1', watchSec: 1, saving: 1, storage: 0, encoding: 0 } })
  expect((await shown(owner, videoId))?.forecast.saving).toBeCloseTo(before / 4, 4)
})

it('takes the greater saving first, of AV1 or of a preset', async () => {
  provide({ AV1: 'demand' })
  const owner = await makeAccount()
  const videoId = await makeWatched(owner, 200)
  await judge()
  await judge()
  const [av1, h264] = await db().codecDecision.findMany({ where: { videoId }, orderBy: { codec: 'asc' } })
  expect([av1?.codec, h264?.codec]).toEqual(['av1', 'h264'])
  expect(av1?.saving).toBeGreaterThan(h264?.saving ?? Number.POSITIVE_INFINITY)
  expect(await beginByDemand()).toBe(videoId)
  expect(await db().video.findFirstOrThrow({ where: { replaces: videoId } })).toMatchObject({ addsCodec: 'av1', reencodes: false })
})

it('leaves videos alone that x264 did not encode, and that were dropped', async () => {
  const owner = await makeAccount()
  const [copied, dropped] = [await makeWatched(owner, 200, null), await makeWatched(owner, 100)]
  await judge()
  expect(await decisions(copied)).toEqual([])
  expect(await shown(owner, copied)).toMatchObject({ state: 'refused' })
  expect(await beginByDemand()).toBe(dropped)
  await db().video.deleteMany({ where: { replaces: dropped } })
  await query('test-earlier', "UPDATE codec_decision SET begun_at = begun_at - interval '2 minutes'", [])
  await judge()
  expect(await decisions(dropped)).toEqual([expect.objectContaining({ endReason: 'dropped' })])
  expect(await shown(owner, dropped)).toMatchObject({ state: 'dropped' })
  expect(await beginByDemand()).toBeUndefined()
})

it('encodes every video again with `medium`, and none with `veryfast`', async () => {
  const owner = await makeAccount()
  const videoId = await makeWatched(owner, 0)
  provide({ H264_PRESET: 'veryfast' })
  await judge()
  expect([await decisions(videoId), (await shown(owner, videoId))?.state]).toEqual([[], 'off'])
  provide({ H264_PRESET: 'medium' })
  await judge()
  expect(await beginByDemand()).toBe(videoId)
})

it('compares a forecast with what happened, and ends a decision with its source', async () => {
  const owner = await makeAccount()
  const videoId = await makeWatched(owner, 200)
  await judge()
  await beginByDemand()
  await complete(videoId, 320_000_000n)
  await judge()
  const since = ago(35)
  await query('test-past', 'UPDATE codec_decision SET begun_at = $1, completed_at = $1, judged_at = NULL', [since])
  await query('test-no-days', 'DELETE FROM view_day', [])
  await query(
    'test-days',
    `INSERT INTO view_day (video_id, account_id, day, plays, watch_ms)
     VALUES ($1, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date + 1, 70, 70 * 600000)`,
    [videoId, owner.accountId, since],
  )
  await db().video.update({ where: { id: videoId }, data: { h264Preset: 'veryfast' } })
  await judge()
  const [made] = await decisions(videoId)
  // 70 plays of 600 s, at 0.7 × 5.3 Mbit/s before, of which a fifth is saved for all viewers; and 80 MB for a month.
  expect(made?.realSaving).toBeCloseTo(((70 * 600 * 0.7 * 5_333_333) / 8 / 1e9) * 0.2 * 0.01, 5)
  expect(made?.realStorage).toBeCloseTo(-0.08 * 0.01)
  expect(made).toMatchObject({ endReason: 'removed' })
  expect((await shown(owner, videoId))?.month?.real).toBeCloseTo((made?.realSaving ?? 0) + 0.0008 - (made?.encoding ?? 0), 6)
})
