import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { beginMultipart, listMultiparts } from '../../../platform/storage/s3-multipart.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { recount } from '../../../testing/recount.ts'
import { hasSwift, type Swift, startSwift } from '../../../testing/services/swift.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { likeVideo, sha256, tusClient } from '../../../testing/tus-client.ts'
import { storageOf, storageOfAll } from '../../identity/accounts/storage.ts'
import { SOURCES } from '../../videos/media-keys.ts'
import { uploadPlace } from './place.ts'
import { sweepUploads } from './sweep.ts'

await testDatabase()
expectLoggedErrors(/The media storage is (unavailable|full)/, /the process ended/)
const MB = 1024 ** 2
const forever = new AbortController().signal

describe.skipIf(!hasSwift())('an upload to the object store', () => {
  let swift: Swift
  let url: string
  let location: string
  let owner: AccountCtx
  let client: ReturnType<typeof tusClient>

  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
    location = await swift.makeBucket()
    provide({ STORAGE_URL: location, STORAGE_RESERVE_BYTES: '0', MAX_UNFINISHED_UPLOADS: '2' })
    renew('storage', 'uploadPlace', 'tus')
    url = await startHttpServer()
    const fail = `CREATE FUNCTION test_fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the process ended'; END $$`
    await query('test-make-fail', fail, [])
  })
  afterAll(() => swift?.stop())
  beforeEach(async () => {
    owner = await makeAccount()
    client = tusClient(await cookieFor(owner))
  })

  async function begin(size: number | undefined): Promise<string> {
    const created = await client.create(url, size)
    expect(created.status).toBe(201)
    return created.headers.get('location') ?? ''
  }
  const send = (path: string, body: Buffer, offset = 0, extra = {}) => client.send(url, path, body, offset, { extra }).answer
  const idOf = (path: string) => path.split('/').at(-1) ?? ''
  const sweep = () => sweepUploads(forever)
  const all = async <T>(items: AsyncIterable<T>) => {
    const list: T[] = []
    for await (const item of items) list.push(item)
    return list
  }
  /** What the store holds of uploads, and of originals. */
  const left = async () => ({
    pieces: (await all(storage().list('uploads/'))).length,
    unfinished: (await all(listMultiparts(SOURCES))).length,
    originals: (await all(storage().list(SOURCES))).length,
  })
  const expectVideo = async (videoId: string | undefined, body: Buffer) => {
    const video = await db().media.findUniqueOrThrow({ where: { id: videoId ?? '' } })
    expect(await sha256(storage().read(video.sourceKey))).toBe(await sha256([body]))
    expect(await storageOf(owner.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, originalBytes: body.length })
    expect(await storageOfAll()).toMatchObject(await recount())
  }
  const nothing = { pieces: 0, unfinished: 0 }

  it('in small requests consists of parts of the size that the store requires', async () => {
    const body = likeVideo(12 * MB)
    const path = await begin(body.length)
    const sizes = []
    let videoId: string | undefined
    for (let offset = 0, size = 0.7 * MB; offset < body.length; offset += size) {
      const end = Math.min(body.length, Math.floor(offset + size))
      const sent = await send(path, body.subarray(0, end), offset)
      expect(sent).toMatchObject({ status: 204, offset: end })
      videoId = sent?.videoId
      size = end - offset
    }
    sizes.push(...(await query<{ bytes: number }>('test-sizes', 'SELECT bytes::int AS bytes FROM multipart_part ORDER BY number', [])))
    expect(sizes.slice(0, -1).every(({ bytes }) => bytes >= 5 * MB)).toBe(true)
    expect(sizes.length).toBeGreaterThan(1)
    await expectVideo(videoId, body)
    expect(await left()).toMatchObject(nothing)
  })

  it('whose size is announced last becomes a video', async () => {
    const body = likeVideo(2 * MB)
    const path = await begin(undefined)
    expect(await send(path, body.subarray(0, MB))).toMatchObject({ status: 204, offset: MB })
    expect(await send(path, body, MB)).toMatchObject({ status: 204, offset: 2 * MB, videoId: undefined })
    const last = await send(path, body, body.length, { 'Upload-Length': String(body.length) })
    await expectVideo(last?.videoId, body)
    expect(await left()).toMatchObject(nothing)
  })

  it('that is no video is refused and leaves nothing', async () => {
    const before = await left()
    const path = await begin(6 * MB)
    const sent = await send(path, Buffer.alloc(6 * MB, 'text'))
    expect([sent?.status, sent?.text]).toEqual([400, expect.stringMatching(/^This file is not a video\./)])
    expect(await left()).toEqual(before)
    expect((await client.head(url, path)).status).toBe(404)
    expect(await storageOf(owner.accountId)).toMatchObject({ uploads: 0, videos: 0 })
  })

  it('that is cancelled leaves nothing and frees its place', async () => {
    const before = await left()
    const [path] = [await begin(20 * MB), await begin(MB)]
    expect((await client.create(url, MB)).status).toBe(429)
    expect(await send(path, likeVideo(7 * MB))).toMatchObject({ status: 204 })
    expect(await send(path, likeVideo(8 * MB), 7 * MB)).toMatchObject({ status: 204 })
    expect((await client.cancel(url, path)).status).toBe(204)
    expect((await client.head(url, path)).status).toBe(404)
    expect((await client.create(url, MB)).status).toBe(201)
    expect(await left()).toMatchObject({ pieces: before.pieces, originals: before.originals })
  })

  it('that is complete when its process is killed becomes a video once it is swept, and its client learns of it', async () => {
    const body = likeVideo(MB)
    const path = await begin(body.length)
    // As if the process ended when the object was complete, and the video's row was not written.
    await query('test-fail', `CREATE TRIGGER test_fail BEFORE INSERT ON video EXECUTE FUNCTION test_fail()`, [])
    expect((await send(path, body))?.status).toBe(500)
    await query('test-work', 'DROP TRIGGER test_fail ON video', [])
    expect(await db().video.count({ where: { accountId: owner.accountId } })).toBe(0)
    await sweep()
    const answers = await Promise.all([client.head(url, path), client.head(url, path)])
    const [videoId, other] = answers.map((answer) => answer.headers.get('x-video-id') ?? undefined)
    expect(videoId).toBe(other)
    await expectVideo(videoId, body)
  })

  it('that is idle for a day is removed, with what interrupted requests left in the store', async () => {
    const before = await left()
    const [idle, active] = [await begin(20 * MB), await begin(20 * MB)]
    for (const path of [idle, active]) expect((await send(path, likeVideo(MB)))?.status).toBe(204)
    await query('test-idle', `UPDATE multipart_upload SET changed_at = changed_at - interval '25 hours' WHERE id = $1`, [idOf(idle)])
    // Of an account that was deleted meanwhile.
    await storage().put('uploads/00000000000000000000000000000000/1000001', Buffer.from('piece'))
    const abandoned = await beginMultipart(`${SOURCES}vid_abandoned`)
    await sweep()
    expect(await left()).toEqual({ ...before, pieces: before.pieces + 1, unfinished: before.unfinished + 2 })
    expect([(await client.head(url, idle)).status, (await client.head(url, active)).status]).toEqual([404, 200])
    // A day later: the abandoned one is removed, and the one with a row is not.
    await uploadPlace().sweep(forever, -60_000)
    expect((await all(listMultiparts(SOURCES))).map(({ storeId }) => storeId)).not.toContain(abandoned)
    expect((await client.head(url, active)).status).toBe(200)
  })

  it('that the store discarded must begin again', async () => {
    const path = await begin(20 * MB)
    await query('test-discarded', `UPDATE multipart_upload SET store_id = 'bm9uZQ' WHERE id = $1`, [idOf(path)])
    expect(await send(path, likeVideo(6 * MB))).toMatchObject({ status: 410, text: 'This upload no longer exists. Start it again.' })
    expect((await client.head(url, path)).status).toBe(404)
    expect(await storageOf(owner.accountId)).toMatchObject({ uploads: 0 })
  })

  it('waits while the store does not respond, and continues', async () => {
    const body = likeVideo(8 * MB)
    const path = await begin(body.length)
    expect(await send(path, body.subarray(0, MB))).toMatchObject({ status: 204 })
    await swift.close()
    expect((await send(path, body, MB))?.status).toBe(503)
    expect((await client.create(url, MB)).status).toBe(503)
    expect((await client.head(url, path)).headers.get('upload-offset')).toBe(String(MB))
    await swift.reopen()
    await expectVideo((await send(path, body, MB))?.videoId, body)
    expect(await storageOf(owner.accountId)).toMatchObject({ uploads: 0 })
  })

  it('pauses while the store is full, and keeps what it received', async () => {
    const body = likeVideo(16 * MB)
    const path = await begin(body.length)
    expect(await send(path, body.subarray(0, 8 * MB))).toMatchObject({ status: 204 })
    const bucket = new URL(location).hostname
    await swift.setQuota(bucket, 1)
    const refused = await send(path, body, 8 * MB)
    expect([refused?.status, refused?.text]).toEqual([507, expect.stringMatching(/Uploaded data is kept/)])
    await swift.setQuota(bucket, 1_000 * MB)
    expect((await client.head(url, path)).headers.get('upload-offset')).toBe(String(8 * MB))
    await expectVideo((await send(path, body, 8 * MB))?.videoId, body)
  })
})
