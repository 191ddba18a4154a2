import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { db } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'
import { said, VIDEO_FIELDS, videoCalls } from '../../../server/testing/video-calls.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let key: { id: string; value: string }
beforeAll(async () => {
  owner = await makeAccount()
  key = await makeKey(owner, { scopes: ['video:read', 'video:write'] })
})

const call = videoCalls(baseUrl, () => key.value)

const expanded = async (videoId: string, expand: string) => JSON.parse((await call(`${videoId}?expand=${expand}`)).body).data

describe('expand', () => {
  test('adds what it names, and without it the object has its nine fields', async () => {
    const videoId = await makeVideo(owner, { metadata: { a: '1' }, sourceBytes: 1_000n, pictureBytes: 20n, posterBytes: 5n })
    expect(Object.keys(JSON.parse((await call(videoId)).body).data).sort()).toEqual(VIDEO_FIELDS)
    const all = await expanded(videoId, 'metadata,processing,%20storage')
    expect(all).toMatchObject({
      metadata: { a: '1' },
      externalId: null,
      processing: { videoId, status: 'COMPLETED' },
      storage: { originalBytes: 1_000, renditionBytes: 0, captionBytes: 0, pictureBytes: 25, totalBytes: 1_025 },
    })
    expect(Object.keys(all).sort()).toEqual([...VIDEO_FIELDS, 'externalId', 'metadata', 'processing', 'storage'].sort())
    expect(Object.keys(await expanded(videoId, 'storage')).sort()).toEqual([...VIDEO_FIELDS, 'storage'].sort())
  })

  test('counts the downloads of each file', async () => {
    const videoId = await makeVideo(owner)
    const [requestedAt, lastRequestedAt] = [new Date(Date.UTC(2026, 1, 1)), '2026-02-01T00:00:00.000Z']
    for (const [file, downloads] of [
      ['480p', 1],
      ['1080p', 3],
      ['original', 2],
      ['av1-1080p', 4],
    ] as const)
      await db().videoDownload.create({ data: { videoId, file, downloads, requestedAt } })
    const { downloads } = await expanded(videoId, 'downloads')
    expect(downloads).toEqual({
      total: 10,
      files: [
        { quality: null, codec: null, count: 2, lastRequestedAt },
        { quality: '1080p', codec: 'h264', count: 3, lastRequestedAt },
        { quality: '480p', codec: 'h264', count: 1, lastRequestedAt },
        { quality: '1080p', codec: 'av1', count: 4, lastRequestedAt },
      ],
    })
    expect((await expanded(await makeVideo(owner), 'downloads')).downloads).toEqual({ total: 0, files: [] })
  })

  test('has an ETag of its own, which answers 304', async () => {
    const videoId = await makeVideo(owner)
    const { etag } = (await call(`${videoId}?expand=metadata`)).headers
    expect((await call(`${videoId}?expand=metadata`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await call(`${videoId}?expand=metadata`, { headers: { 'if-none-match': (await call(videoId)).headers.etag } })).status).toBe(
      200,
    )
    await db().video.update({ where: { id: videoId }, data: { metadata: { a: '1' } } })
    await expect.poll(async () => (await call(`${videoId}?expand=metadata`, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })

  test('enables pages of the list', async () => {
    const ctx = await makeAccount()
    const { value } = await makeKey(ctx)
    const ids: string[] = []
    for (const at of [1, 2, 3]) ids.unshift(await makeVideo(ctx, { metadata: { at: `${at}` }, createdAt: new Date(Date.UTC(2026, 1, at)) }))
    const list = async (search: string) => said(await send(`${baseUrl}/v1/video${search}`, { headers: { 'x-service-key': value } }))
    const { body } = await send(`${baseUrl}/v1/video?expand=metadata`, { headers: { 'x-service-key': value } })
    const whole = JSON.parse(body)
    expect(whole.data.map(({ id, metadata }: { id: string; metadata: object }) => [id, metadata])).toEqual([
      [ids[0], { at: '3' }],
      [ids[1], { at: '2' }],
      [ids[2], { at: '1' }],
    ])
    expect(whole.pagination).toEqual({ nextCursor: null, hasMore: false })
    expect(await list('?expand=processing&limit=2')).toMatchObject({ data: [{ processing: { videoId: ids[0] } }, { id: ids[1] }] })
    expect(await list('?expand=processing&limit=101')).toMatchObject({ status: 400, details: [{ in: 'query', path: 'limit' }] })
    expect(await list('?expand=poster')).toMatchObject({ status: 400, details: [{ in: 'query', path: 'expand' }] })
  })

  test('shows a fixture of a test key', async () => {
    const { value } = await makeKey(owner, { environment: 'TEST' })
    const answer = said(await call('vid_test_processing?expand=metadata,processing,storage', { key: value }))
    expect(answer).toMatchObject({ status: 200, data: { metadata: {}, externalId: null, processing: { stage: 'analyzing' } } })
  })
})
