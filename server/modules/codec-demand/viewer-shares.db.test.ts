import { beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { newId } from '../../platform/crypto.ts'
import { db, query } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide, renew } from '../../testing/settings.ts'
import { OFFERED_UNTIL } from '../videos/further-codec.ts'
import { readInstallationCodec } from './installation-codec.ts'
import { readTerms } from './terms.ts'
import { readViewerShares } from './viewer-shares.ts'

await testDatabase()

let owner: AccountCtx
beforeEach(async () => {
  provide({ CDN_URL: '', AV1_VIEWER_SHARE: '0.75', HDR_VIEWER_SHARE: '0.3' })
  renew('viewerShares')
  await db().video.deleteMany({})
  owner = await makeAccount()
})

const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const PICTURE = { width: 1_280, height: 720, bandwidth: 2, averageBandwidth: 1, frameRate: 30, segments: [] }

/** Makes a video of an hour that has AV1 since four days: 400 MB in H.264, 100 MB in AV1. */
async function makeOffered({ since = ago(4) } = {}): Promise<string> {
  const videoId = await makeVideo(owner, { durationSec: 3_600 })
  const { title, sourceKey, sourceName } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
  const id = newId('vid')
  const own = { id, replaces: videoId, addsCodec: 'av1', accountId: owner.accountId, title, sourceKey, sourceName, sourceBytes: 0n }
  await db().video.create({
    data: { ...own, targetQuality: '720p', status: 'COMPLETED', completedAt: since, keptUntil: new Date(OFFERED_UNTIL) },
  })
  const quality = '720p'
  await db().rendition.create({ data: { videoId, quality, ...PICTURE, codecs: 'avc1.64001f', bytes: 400_000_000n } })
  await db().rendition.create({ data: { videoId: id, quality, ...PICTURE, codecs: 'av01.0.05M.08', bytes: 100_000_000n } })
  const money = { watchSec: 1, saving: 1, storage: 0, encoding: 0 }
  await db().codecDecision.create({ data: { videoId, codec: 'av1', ...money, begunAt: since, completedAt: since } })
  return videoId
}

/** Delivers hours of a video on a day. */
const deliver = (videoId: string, daysAgo: number, hours: { h264: number; av1: number }, stream = '720p') =>
  query(
    'test-delivered',
    `INSERT INTO delivered_day (video_id, day, codec, stream, bytes) SELECT $1, (service_now() AT TIME ZONE 'UTC')::date - $2::int, codec, $5, bytes
     FROM (VALUES ('h264', $3::bigint), ('av1', $4::bigint), ('audio', 1000000000)) AS row (codec, bytes)`,
    [videoId, daysAgo, hours.h264 * 400_000_000, hours.av1 * 100_000_000, stream],
  )

it('are as set before anything was delivered', async () => {
  await makeOffered()
  expect(await readViewerShares()).toEqual({
    av1: { value: 0.75, assumed: 0.75, hours: 0 },
    hdr: { value: 0.3, assumed: 0.3, hours: 0 },
  })
})

it('follow the watch time that was delivered in each codec, not its bytes', async () => {
  const videoId = await makeOffered()
  await deliver(videoId, 1, { h264: 90, av1: 90 })
  const { av1 } = await readViewerShares()
  expect(av1.hours).toBeCloseTo(180)
  // Half of 180 hours, and three quarters of 20.
  expect(av1.value).toBeCloseTo((90 + 15) / 200)
  expect((await readTerms('av1')).codec.viewerShare).toBeCloseTo(0.525)
  expect((await readInstallationCodec('av1')).viewerShare).toMatchObject({ assumed: 0.75, value: av1.value })
})

it('leave out the day on which a video got AV1, those before, and streams that are no picture', async () => {
  const videoId = await makeOffered()
  for (const day of [4, 5, 20]) await deliver(videoId, day, { h264: 500, av1: 0 })
  await deliver(videoId, 2, { h264: 500, av1: 500 }, 'iframes-720p')
  expect((await readViewerShares()).av1.hours).toBe(0)
})

it('are as set behind a CDN, which asks for each segment once in each codec', async () => {
  const videoId = await makeOffered()
  await deliver(videoId, 1, { h264: 500, av1: 500 })
  provide({ CDN_URL: 'https://media.example.com' })
  expect((await readViewerShares()).av1).toEqual({ value: 0.75, assumed: 0.75, hours: 0 })
})
