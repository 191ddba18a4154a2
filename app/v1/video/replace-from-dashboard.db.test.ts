import { expect, it } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { storageOf } from '../../../server/modules/identity/accounts/storage.ts'
import { SOURCES } from '../../../server/modules/videos/media-keys.ts'
import { db } from '../../../server/platform/database/database.ts'
import { storage } from '../../../server/platform/storage/storage.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeVideo } from '../../../server/testing/make.ts'
import { recount } from '../../../server/testing/recount.ts'
import { cookieFor } from '../../../server/testing/sign-in.ts'
import { likeVideo, tusClient } from '../../../server/testing/tus-client.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const BYTES = 9_000

async function sources(): Promise<string[]> {
  const keys: string[] = []
  for await (const key of storage().list(SOURCES)) keys.push(key)
  return keys.sort()
}

async function begin(ctx: AccountCtx, replaces: string) {
  const cookie = await cookieFor(ctx)
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const headers = {
    'Tus-Resumable': '1.0.0',
    Cookie: cookie,
    'Upload-Length': String(BYTES),
    'Upload-Metadata': `title ${base64('Clip')},filename ${base64('new.mkv')},replaces ${base64(replaces)}`,
  }
  const created = await fetch(`${baseUrl}/api/upload`, { method: 'POST', headers })
  return { status: created.status, path: created.headers.get('location') ?? '', client: tusClient(cookie) }
}

it('an upload of the dashboard replaces the source of a video', async () => {
  const ctx = await makeAccount()
  const id = await makeVideo(ctx)
  const { status, path, client } = await begin(ctx, id)
  expect(status).toBe(201)
  const sent = await client.send(baseUrl, path, likeVideo(BYTES), 0).answer
  expect([sent?.status, sent?.videoId]).toEqual([204, id])
  const [row] = await db().media.findMany({ where: { videoId: id, playing: null } })
  expect(row).toMatchObject({ status: 'PENDING', sourceName: 'new.mkv', sourceBytes: BigInt(BYTES) })
  expect(await storage().stat(row?.sourceKey ?? '')).toEqual(expect.objectContaining({ bytes: BYTES }))
  const entry = await db().auditEntry.findFirst({ where: { accountId: ctx.accountId, action: 'video.source' } })
  expect(entry).toMatchObject({ subject: id, after: { sourceName: 'new.mkv' } })
  expect(await storageOf(ctx.accountId)).toEqual(await recount(ctx.accountId))
})

it('a file whose video was deleted meanwhile is refused and removed', async () => {
  const ctx = await makeAccount()
  const id = await makeVideo(ctx)
  const { path, client } = await begin(ctx, id)
  const before = await sources()
  await db().video.update({ where: { id }, data: { deletedAt: new Date() } })
  const sent = await client.send(baseUrl, path, likeVideo(BYTES), 0).answer
  expect([sent?.status, sent?.text]).toEqual([410, 'The video was deleted or taken down before we replaced its source.'])
  expect(await db().media.count({ where: { videoId: id, playing: null } })).toBe(0)
  expect(await sources()).toEqual(before)
  expect(await storageOf(ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0 })
})

it.each([
  ['of another account', 404, async (_: AccountCtx) => makeVideo(await makeAccount())],
  ['that is deleted', 404, (ctx: AccountCtx) => makeVideo(ctx, { deletedAt: new Date() })],
  ['that was taken down', 409, (ctx: AccountCtx) => makeVideo(ctx, { takenDownAt: new Date(), takedownReason: 'Test' })],
  ['whose id is none', 400, async () => '../vid'],
])('no upload begins for a video %s', async (_name, status, make) => {
  const ctx = await makeAccount()
  expect((await begin(ctx, await make(ctx))).status).toBe(status)
  expect(await db().upload.count({ where: { accountId: ctx.accountId } })).toBe(0)
})
