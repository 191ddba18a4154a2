import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { getQuality } from '../modules/quality-receipts/read-receipt.ts'
import { signReceipt } from '../modules/receipts/sign.ts'
import { SERVICE } from '../modules/signing/content-access.ts'
import { db } from '../platform/database.ts'
import { send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { provide } from '../testing/settings.ts'

await testDatabase()
const baseUrl = await startHttpServer()
let ctx: AccountCtx
let key: string
beforeAll(async () => {
  provide({ QUALITY_RECEIPTS: 'on' })
  ctx = await makeAccount()
  key = (await makeKey(ctx, { scopes: ['video:read'] })).value
})

const read = async (videoId: string, by = key) => {
  const { status, body } = await send(`${baseUrl}/v1/video/${videoId}/quality`, { headers: { 'x-service-key': by } })
  return { status, ...JSON.parse(body) }
}
/** A receipt of media of two chunks, of which one is measured. */
const request = (videoId: string, mediaId = videoId) =>
  db().qualityReceipt.create({
    data: { videoId, mediaId, basis: { chunks: [{}, {}] }, chunks: { create: { position: 0, result: {} } } },
  })
const sign = async (videoId: string, mediaId: string) => {
  const jws = await signReceipt(SERVICE, {
    id: 'rcp_one',
    kind: 'video.quality',
    accountId: ctx.accountId,
    subject: videoId,
    facts: { mediaId },
  })
  await db().qualityReceipt.update({ where: { mediaId }, data: { jws, dueAt: null } })
  return jws
}

it('returns what is missing until the receipt is signed, then the receipt', async () => {
  const video = await makeVideo(ctx)
  expect(await read(video)).toMatchObject({ status: 404, error: { code: 'QUALITY_RECEIPT_NOT_FOUND' } })
  expect(await getQuality(ctx, { videoId: video })).toMatchObject({ state: 'none', chunks: 0 })
  await request(video)
  expect(await getQuality(ctx, { videoId: video })).toMatchObject({ state: 'measuring', chunks: 2, chunksDone: 1 })
  const details = { chunks: 2, chunksDone: 1 }
  expect(await read(video)).toMatchObject({ status: 409, error: { code: 'QUALITY_RECEIPT_NOT_READY', details } })
  provide({ QUALITY_RECEIPTS: 'off' })
  expect(await read(video)).toMatchObject({ status: 404, error: { code: 'QUALITY_RECEIPT_NOT_FOUND' } })
  provide({ QUALITY_RECEIPTS: 'on' })
  const jws = await sign(video, video)
  expect(await read(video)).toMatchObject({ status: 200, data: { jws, receipt: { sub: video, kind: 'video.quality' } } })
  await db().video.update({ where: { id: video }, data: { deletedAt: new Date() } })
  expect(await read(video)).toMatchObject({ status: 404, error: { code: 'VIDEO_NOT_FOUND' } })
})

it('returns VIDEO_NOT_READY before the video is COMPLETED, and needs the scope video:read', async () => {
  const video = await makeVideo(ctx, { status: 'PROCESSING' })
  expect(await read(video)).toMatchObject({ status: 409, error: { code: 'VIDEO_NOT_READY', details: { status: 'PROCESSING' } } })
  const other = await makeKey(ctx, { scopes: ['billing:read'] })
  expect(await read(video, other.value)).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } })
  const test = await makeKey(ctx, { environment: 'TEST' })
  expect(await read('vid_test_completed', test.value)).toMatchObject({ status: 404, error: { code: 'QUALITY_RECEIPT_NOT_FOUND' } })
  expect(await read('vid_test_failed', test.value)).toMatchObject({ status: 409, error: { code: 'VIDEO_NOT_READY' } })
})

it('returns the receipt of the media that the video has, not of former ones', async () => {
  const video = await makeVideo(ctx)
  await request(video)
  await sign(video, video)
  await db().video.update({ where: { id: video }, data: { mediaId: 'vid_newer' } })
  expect(await read(video)).toMatchObject({ status: 404, error: { code: 'QUALITY_RECEIPT_NOT_FOUND' } })
  await request(video, 'vid_newer')
  const jws = await sign(video, 'vid_newer')
  expect(await read(video)).toMatchObject({ status: 200, data: { jws } })
})
