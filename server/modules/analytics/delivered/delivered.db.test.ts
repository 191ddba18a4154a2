import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { monthStatement } from '../../dashboard/billing-overview.ts'
import { contentName } from '../../transcoding/encode/segment-store.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { deliveredBytes } from './delivered-bytes.ts'
import { deliveredReport, readInstallationDelivered } from './delivered-report.ts'
import { savedShare } from './delivered-schema.ts'
import { renditionsOfAll } from './rendition-sums.ts'

await testDatabase()
let base: string
let ctx: AccountCtx
beforeAll(async () => {
  base = await startHttpServer()
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'an id')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a secret')
})
beforeEach(async () => {
  ctx = await makeAccount()
})
afterEach(() => provide({ CDN_ORIGIN: '', STORAGE_URL: '' }))

const SIZES: Record<string, number> = { a: 4_000, b: 1_000, c: 500, d: 100, e: 2_000, f: 999 }
const bodyOf = (digit: string) => Buffer.alloc(SIZES[digit] ?? 1, digit)
const nameOf = (digit: string, ending = '') => contentName(bodyOf(digit)) + ending
const PICTURE = { width: 1_280, height: 720, bandwidth: 2, averageBandwidth: 1, frameRate: 30 }

/** Stores a segment. Returns the columns of a rendition that has it alone. */
async function put(mediaId: string, digit: string, ending = '') {
  const name = nameOf(digit, ending)
  await storage().put(segmentKey(mediaId, name), bodyOf(digit))
  return { bytes: BigInt(bodyOf(digit).byteLength), segments: [[name, 4]] }
}

/** A video of 720p and 360p with a track of sound and key frames; its segments have 4,000, 1,000, 500 and 100 bytes. */
async function makeStored(): Promise<string> {
  const id = await makeVideo(ctx, { qualities: ['720p', '360p'], durationSec: 8 })
  const h264 = { mediaId: id, ...PICTURE, codecs: 'avc1.64001f' }
  await db().rendition.create({ data: { ...h264, quality: '720p', ...(await put(id, 'a')) } })
  await db().rendition.create({ data: { ...h264, quality: '360p', ...(await put(id, 'b')) } })
  const sound = { position: 0, name: 'English', isDefault: true, channels: 2, bandwidth: 2, averageBandwidth: 1, codecs: 'mp4a.40.2' }
  await db().audioRendition.create({ data: { mediaId: id, ...sound, ...(await put(id, 'c')) } })
  const { frameRate: _, ...iframes } = h264
  await db().iframeRendition.create({ data: { ...iframes, quality: '360p', ...(await put(id, 'd')) } })
  return id
}

/** Adds renditions in AV1 of 720p, with half of the bytes, and of a quality that H.264 has not. */
async function addAv1(id: string): Promise<void> {
  const av1 = { mediaId: id, codec: 'av1', ...PICTURE, codecs: 'av01.0.05M.08' }
  for (const [quality, digit] of [
    ['720p', 'e'],
    ['540p', 'f'],
  ] as const)
    await db().rendition.create({ data: { ...av1, quality, ...(await put(id, digit, '.m4s')) } })
}

const get = async (id: string, file: string, init: RequestInit = {}) => {
  const response = await fetch(`${base}/cdn/segments/${id}/${file}`, { redirect: 'manual', ...init })
  await response.arrayBuffer()
  return response.status
}

/** Writes what was counted. The server knows that a response was sent a moment after its client. */
async function counted(videoId: string) {
  await deliveredBytes().flush()
  const rows = await db().deliveredDay.findMany({ where: { videoId }, orderBy: [{ codec: 'asc' }, { stream: 'asc' }] })
  return rows.map(({ codec, stream, bytes, saved }) => [codec, stream, Number(bytes), Number(saved)])
}
const ofAccount = async () => {
  const orderBy = [{ codec: 'asc' }, { stream: 'asc' }] as const
  const rows = await db().accountDeliveredDay.findMany({ where: { accountId: ctx.accountId }, orderBy: [...orderBy] })
  return rows.map(({ codec, stream, bytes, saved }) => [codec, stream, Number(bytes), Number(saved)])
}

it('counts the bytes that were sent, by codec and stream, and what H.264 of the same quality would have taken', async () => {
  const id = await makeStored()
  await addAv1(id)
  for (let at = 0; at < 3; at++) expect(await get(id, `${nameOf('a')}.ts`)).toBe(200)
  expect(await get(id, `${nameOf('b')}.ts`, { headers: { Range: 'bytes=100-299' } })).toBe(206)
  expect(await get(id, `${nameOf('b')}.ts`, { method: 'HEAD' })).toBe(200)
  expect(await get(id, `${nameOf('b')}.ts`, { headers: { 'If-None-Match': `"${nameOf('b')}"` } })).toBe(304)
  expect(await get(id, `${nameOf('0')}.ts`)).toBe(404)
  expect(await get(id, `${nameOf('c')}.ts`)).toBe(200)
  expect(await get(id, `${nameOf('d')}.ts`)).toBe(200)
  expect(await get(id, nameOf('e', '.m4s'))).toBe(200)
  expect(await get(id, nameOf('f', '.m4s'))).toBe(200)
  const rows = [
    ['audio', 'audio-0', 500, 0],
    // Without a rendition of the same quality, the ratio is that of what both codecs have.
    ['av1', '540p', 999, 999],
    ['av1', '720p', 2_000, 2_000],
    ['h264', '360p', 200, 0],
    ['h264', '720p', 12_000, 0],
    ['h264', 'iframes-360p', 100, 0],
  ]
  await expect.poll(() => counted(id)).toEqual(rows)
  expect(await ofAccount()).toEqual(rows)
  await get(id, `${nameOf('a')}.ts`)
  await expect.poll(async () => (await counted(id)).at(-2)).toEqual(['h264', '720p', 16_000, 0])
})

it('counts the segments of all media of a video under the video', async () => {
  const [id, former] = [await makeStored(), await makeStored()]
  await db().media.update({ where: { id: former }, data: { videoId: id, keptUntil: new Date() } })
  await db().video.update({ where: { id: former }, data: { mediaId: null } })
  await get(former, `${nameOf('a')}.ts`)
  await get(id, `${nameOf('b')}.ts`)
  await expect
    .poll(() => counted(id))
    .toEqual([
      ['h264', '360p', 1_000, 0],
      ['h264', '720p', 4_000, 0],
    ])
  expect(await counted(former)).toEqual([])
})

it('counts a redirection to the bucket as a segment of mean size', async () => {
  const id = await makeStored()
  provide({
    CDN_ORIGIN: 'redirect',
    STORAGE_URL: 's3://media?endpoint=https://s3.example.com&publicUrl=https://media.example.com',
  })
  renew('streams', 's3Clients', 'presignedUrls')
  expect(await get(id, `${nameOf('a')}.ts`)).toBe(302)
  expect(await get(id, `${nameOf('a')}.ts`, { method: 'HEAD' })).toBe(302)
  await expect.poll(() => counted(id)).toEqual([['h264', '720p', 4_000, 0]])
})

it('counts what is watched while a video is being transcoded, and what no list names any more', async () => {
  const id = await makeVideo(ctx, { status: 'PENDING' })
  await query('test-plan', `UPDATE transcode_queue SET plan = '{"renditions": [{"quality": "1080p"}]}' WHERE media_id = $1`, [id])
  await db().media.update({ where: { id }, data: { status: 'PROCESSING', startedAt: new Date(), playableAt: new Date() } })
  const task = (kind: string, position: number, result: object) =>
    query(
      'test-task',
      `INSERT INTO transcode_task (media_id, kind, position, result) VALUES ($1, $2, $3, $4)
       ON CONFLICT (media_id, kind, position) DO UPDATE SET result = EXCLUDED.result`,
      [id, kind, position, JSON.stringify(result)],
    )
  await task('video', 0, { renditions: { '720p': { segments: [[nameOf('1'), 4, 700]] } } })
  await task('copy', 0, { segments: [[nameOf('2'), 4, 800]] })
  await task('audio', 1, { segments: [[nameOf('3'), 4, 90]] })
  for (const [digit, bytes] of [
    ['1', 700],
    ['2', 800],
    ['3', 90],
    ['4', 5],
  ] as const)
    deliveredBytes().sent(id, `${nameOf(digit)}.ts`, bytes)
  await expect
    .poll(() => counted(id))
    .toEqual([
      ['audio', 'audio-1', 90, 0],
      ['h264', '', 5, 0],
      ['h264', '1080p', 800, 0],
      ['h264', '720p', 700, 0],
    ])
})

it('writes a batch once, however often it is repeated, and again after a fault', async () => {
  const id = await makeStored()
  deliveredBytes().sent(id, `${nameOf('a')}.ts`, 4_000)
  await query('test-fault', 'ALTER TABLE account_delivered_day RENAME TO moved', [])
  await deliveredBytes().flush()
  expect(await db().deliveredDay.count({ where: { videoId: id } })).toBe(0)
  await query('test-repaired', 'ALTER TABLE moved RENAME TO account_delivered_day', [])
  const { unwritten } = deliveredBytes() as unknown as { unwritten: unknown[] }
  unwritten.push(unwritten[0])
  await expect.poll(() => counted(id)).toEqual([['h264', '720p', 4_000, 0]])
  expect(await ofAccount()).toEqual([['h264', '720p', 4_000, 0]])
})

it('skips media without a row, and keeps the sums of an account whose video was purged', async () => {
  const id = await makeStored()
  await get(id, `${nameOf('a')}.ts`)
  await expect.poll(() => counted(id)).toHaveLength(1)
  deliveredBytes().sent('vid_none', `${nameOf('a')}.ts`, 10)
  await db().video.delete({ where: { id } })
  await expect.poll(() => counted(id)).toEqual([])
  expect(await ofAccount()).toEqual([['h264', '720p', 4_000, 0]])
})

it('reports a range and the period before, of a video and of the account, with what is stored', async () => {
  const id = await makeStored()
  await addAv1(id)
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000)
  const stream = { videoId: id, stream: '720p' }
  for (const [ago, codec, bytes, saved] of [
    [0, 'h264', 100n, 0n],
    [1, 'av1', 40n, 60n],
    [1, 'h264', 300n, 0n],
    [8, 'h264', 1_000n, 0n],
  ] as const) {
    await db().deliveredDay.create({ data: { ...stream, day: day(ago), codec, bytes, saved } })
    await db().accountDeliveredDay.create({ data: { accountId: ctx.accountId, day: day(ago), codec, stream: '720p', bytes, saved } })
  }
  await db().accountDeliveredDay.create({ data: { accountId: ctx.accountId, day: day(0), codec: 'audio', stream: 'audio-1', bytes: 5n } })
  const ofVideo = await deliveredReport(ctx, { range: '7d', videoId: id })
  expect(ofVideo).toMatchObject({
    totals: { h264: 400, av1: 40, audio: 0, saved: 60 },
    previous: { totals: { h264: 1_000, av1: 0, audio: 0, saved: 0 } },
    streams: [
      { codec: 'h264', stream: '720p', bytes: 400, saved: 0 },
      { codec: 'av1', stream: '720p', bytes: 40, saved: 60 },
    ],
    // Both rows: 4,000 + 1,000 + 500 + 100, and 2,000 + 999.
    stored: { all: 8_599, av1: 2_999 },
    unfinished: true,
  })
  expect(ofVideo.days).toHaveLength(7)
  expect(ofVideo.days.at(-1)).toEqual({ at: day(0).toISOString().slice(0, 10), h264: 100, av1: 0, audio: 0, saved: 0 })
  expect(savedShare(ofVideo.totals)).toBeCloseTo(60 / 500)
  expect(await deliveredReport(ctx, { range: '7d' })).toMatchObject({
    totals: { h264: 400, av1: 40, audio: 5, saved: 60 },
    streams: [],
    renditions: [
      { codec: 'h264', rendition: '720p', stored: 4_000, delivered: 400, saved: 0 },
      { codec: 'av1', rendition: '720p', stored: 2_000, delivered: 40, saved: 60 },
      { codec: 'av1', rendition: '540p', stored: 999, delivered: 0, saved: 0 },
      { codec: 'h264', rendition: '360p', stored: 1_000, delivered: 0, saved: 0 },
      { codec: 'h264', rendition: 'iframes', stored: 100, delivered: 0, saved: 0 },
      { codec: 'audio', rendition: 'audio', stored: 500, delivered: 5, saved: 0 },
    ],
    stored: { all: 8_599, av1: 2_999 },
  })
  expect(ofVideo.renditions).toEqual([])
  const other = await makeAccount()
  await expect(deliveredReport(other, { videoId: id })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  const month = day(0).toISOString().slice(0, 7)
  const { delivered, closing } = await monthStatement(ctx, { month })
  const inMonth = (ago: number) => day(ago).toISOString().startsWith(month)
  expect(delivered).toEqual({
    ...{ h264: 100 + (inMonth(1) ? 300 : 0) + (inMonth(8) ? 1_000 : 0), av1: inMonth(1) ? 40 : 0 },
    ...{ audio: 5, saved: inMonth(1) ? 60 : 0 },
    renditions: [
      { codec: 'h264', rendition: '720p', delivered: 100 + (inMonth(1) ? 300 : 0) + (inMonth(8) ? 1_000 : 0) },
      ...(inMonth(1) ? [{ codec: 'av1', rendition: '720p', delivered: 40 }] : []),
      { codec: 'audio', rendition: 'audio', delivered: 5 },
    ],
  })
  expect([closing, (await monthStatement(other, { month })).delivered]).toEqual(['0', null])
  const fleet = await readInstallationDelivered()
  expect(fleet.av1).toBeGreaterThanOrEqual(40)
  expect(fleet.saved).toBeGreaterThanOrEqual(60)
  expect(fleet.storedAv1).toBeGreaterThanOrEqual(2_999)
})

it('sums what all accounts store and were delivered by rendition', async () => {
  const id = await makeStored()
  await addAv1(id)
  const former = await renditionsOfAll(30)
  const second = await makeStored()
  await addAv1(second)
  const delivered = { accountId: ctx.accountId, codec: 'h264', bytes: 7n }
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000)
  await db().accountDeliveredDay.create({ data: { ...delivered, day: day(29), stream: 'iframes-360p' } })
  await db().accountDeliveredDay.create({ data: { ...delivered, day: day(30), stream: 'iframes-720p' } })
  const changes = (await renditionsOfAll(30)).map(({ codec, rendition, stored, delivered }) => {
    const before = former.find((one) => one.codec === codec && one.rendition === rendition)
    return [codec, rendition, stored - (before?.stored ?? 0), delivered - (before?.delivered ?? 0)]
  })
  expect(changes.filter(([, , stored, bytes]) => stored !== 0 || bytes !== 0)).toEqual([
    ['h264', '720p', 4_000, 0],
    ['av1', '720p', 2_000, 0],
    ['av1', '540p', 999, 0],
    ['h264', '360p', 1_000, 0],
    ['h264', 'iframes', 100, 7],
    ['audio', 'audio', 500, 0],
  ])
})
