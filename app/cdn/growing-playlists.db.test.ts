import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../server/context.ts'
import { recordViewing } from '../../server/modules/analytics/viewing/record-viewing.ts'
import { viewingCounts } from '../../server/modules/analytics/viewing/viewing-counts.ts'
import { previewVideo } from '../../server/modules/delivery/playlists/picture.ts'
import { setPlaysEarly } from '../../server/modules/identity/accounts/change-account.ts'
import { removeVideo, restoreVideo, retryVideo } from '../../server/modules/videos/remove.ts'
import { db } from '../../server/platform/database/database.ts'
import { send } from '../../server/testing/client.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { makeAccount, makeKey } from '../../server/testing/make.ts'
import { type GrowingVideo, makeGrowing } from '../../server/testing/media/growing.ts'
import { stopServiceNow } from '../../server/testing/service-now.ts'

await testDatabase()
let base: string
let ctx: AccountCtx
let headers: { 'x-service-key': string }
beforeAll(async () => {
  base = await startHttpServer()
})
beforeEach(async () => {
  ctx = await makeAccount()
  headers = { 'x-service-key': (await makeKey(ctx)).value }
})
afterEach(() => stopServiceNow(undefined))

interface Answer {
  success: boolean
  data: { token: string; masterPlaylistUrl: string; qualities: string[]; sessionExpiresAt: string }
  error: { code: string; details?: unknown }
}
const askToken = async (id: string, more = {}) => {
  const response = await send(`${base}/v1/video/${id}/playback-token`, { method: 'POST', headers: { ...headers, ...more } })
  return { status: response.status, remaining: response.headers['x-ratelimit-remaining'], body: JSON.parse(response.body) as Answer }
}
const exchange = async (token: string) => {
  const response = await send(`${base}/v1/video/playback/manifest/${token}`)
  return { status: response.status, body: JSON.parse(response.body) as Answer }
}
const read = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, text: await response.text() }
}

/** Returns a video whose first chunk and first seconds of sound are stored, with the master playlist of a session. */
async function playing(options: Parameters<typeof makeGrowing>[1] = {}): Promise<GrowingVideo & { file: (name: string) => string }> {
  const video = await makeGrowing(ctx, options)
  await video.finishChunks(0)
  for (const position of (options.languages ?? ['en']).keys()) await video.addSound(position, 2)
  expect(await video.markPlayable()).toBe(true)
  const { body } = await vi.waitFor(async () => {
    const answer = await askToken(video.id)
    expect(answer.status).toBe(200)
    return answer
  })
  const { masterPlaylistUrl } = (await exchange(body.data.token)).body.data
  return { ...video, file: (name) => masterPlaylistUrl.replace('master.m3u8', name) }
}
const countOf = (playlist: string) => playlist.match(/^#EXTINF/gm)?.length ?? 0
const count = async (url: string) => countOf((await read(url)).text)

/** Returns a body as it was sent, which fetch decodes. */
async function getRaw(url: string, headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => get(url, { headers }, resolve).on('error', reject))
  return { headers: response.headers, body: Buffer.concat(await response.toArray()) }
}

describe('tokens of a PROCESSING video', () => {
  it('are refused without using quota until it is playable, then issued for one unit each', async () => {
    const video = await makeGrowing(ctx)
    const early = await askToken(video.id)
    expect(early).toMatchObject({ status: 409, body: { error: { code: 'VIDEO_NOT_READY', details: { status: 'PROCESSING' } } } })
    await video.finishChunks(0)
    await video.addSound(0, 1)
    await video.markPlayable()
    const issued = await vi.waitFor(async () => {
      const answer = await askToken(video.id, { 'Idempotency-Key': 'once' })
      expect(answer.status).toBe(200)
      return answer
    })
    expect(Number(issued.remaining)).toBe(Number(early.remaining) - 1)
    const again = await askToken(video.id, { 'Idempotency-Key': 'once' })
    expect(again).toMatchObject({ status: 200, remaining: issued.remaining, body: { data: { token: issued.body.data.token } } })
  })

  it('are exchanged for the planned renditions and a session longer than the whole video', async () => {
    const { id } = await playing()
    await db().media.update({ where: { id }, data: { durationSec: 10 * 3_600 } })
    await vi.waitFor(async () => {
      const { body } = await exchange((await askToken(id)).body.data.token)
      expect(body.data.qualities).toEqual(['720p', '360p'])
      expect((Date.parse(body.data.sessionExpiresAt) - Date.now()) / 3_600_000).toBeGreaterThan(19.9)
    })
  })

  it('are refused, also in exchange, while the account does not allow it', async () => {
    const { id, file } = await playing()
    const { token } = (await askToken(id)).body.data
    await setPlaysEarly(ctx, { playsEarly: false, expected: true })
    await vi.waitFor(async () => expect((await askToken(id)).status).toBe(409))
    expect(await exchange(token)).toMatchObject({
      status: 409,
      body: { error: { code: 'VIDEO_NOT_READY', details: { status: 'PROCESSING' } } },
    })
    await expect(previewVideo(ctx, { videoId: id })).rejects.toMatchObject({ code: 'VIDEO_NOT_READY' })
    // A session that is open goes on.
    expect((await read(file('720p.m3u8'))).status).toBe(200)
    await setPlaysEarly(ctx, { playsEarly: true, expected: false })
    await vi.waitFor(async () => expect((await exchange(token)).status).toBe(200))
    expect((await previewVideo(ctx, { videoId: id })).playerUrl).toContain(id)
  })

  it('are refused once it has failed, is retried, or was deleted and restored', async () => {
    const { id } = await playing()
    await db().media.update({ where: { id }, data: { status: 'FAILED', failureReason: 'Broken' } })
    await vi.waitFor(async () => expect((await askToken(id)).body.error.details).toEqual({ status: 'FAILED' }))
    await retryVideo(ctx, { videoId: id })
    await db().media.update({ where: { id }, data: { status: 'PROCESSING' } })
    await vi.waitFor(async () => expect((await askToken(id)).body.error.details).toEqual({ status: 'PROCESSING' }))
    const other = await playing()
    await removeVideo(ctx, { videoId: other.id })
    await vi.waitFor(async () => expect((await askToken(other.id)).status).toBe(404))
    await restoreVideo(ctx, { videoId: other.id })
    await vi.waitFor(async () => expect((await askToken(other.id)).status).toBe(409))
    expect(await db().video.findUnique({ where: { id: other.id } })).toMatchObject({ playableAt: null })
  })
})

describe('a growing playlist', () => {
  it('appends segments without a gap, changes no other line, and ends when the video is COMPLETED', async () => {
    const video = await playing({ languages: ['en', 'de'] })
    const streams = ['720p', '360p', 'audio-0', 'audio-1']
    const urls = streams.map((name) => video.file(`${name}.m3u8`))
    const withoutKeys = async () => (await Promise.all(urls.map(read))).map(({ text }) => text.replace(/URI="[^"]*"/, 'URI'))
    const first = await withoutKeys()
    expect(first.map(countOf)).toEqual([3, 3, 2, 2])
    for (const text of first) {
      expect(text).toMatch(/^#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:5\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:EVENT\n/)
      expect(text).toContain('\n#EXT-X-START:TIME-OFFSET=0\n')
      expect(text).not.toContain('ENDLIST')
    }
    // The third chunk is done before the second: nothing after the gap is listed.
    await video.finishChunks(2)
    await video.addSound(0, 9)
    await vi.waitFor(async () => expect((await withoutKeys()).map(countOf)).toEqual([3, 3, 9, 2]))
    const second = await withoutKeys()
    await video.finishChunks(1)
    await video.addSound(1, 9)
    await vi.waitFor(async () => expect((await withoutKeys()).map(countOf)).toEqual([9, 9, 9, 9]))
    const third = await withoutKeys()
    await video.complete()
    await vi.waitFor(async () => expect((await withoutKeys()).every((text) => text.endsWith('#EXT-X-ENDLIST\n'))).toBe(true))
    const last = await withoutKeys()
    for (const at of streams.keys()) {
      expect((second[at] as string).startsWith(first[at] as string)).toBe(true)
      expect((third[at] as string).startsWith(second[at] as string)).toBe(true)
      expect(last[at]).toBe(`${third[at]}#EXT-X-ENDLIST\n`)
    }
  })

  it('keeps its key URL from one reload to the next', async () => {
    const { file } = await playing()
    const keyOf = async () => /URI="([^"]+)"/.exec((await read(file('720p.m3u8'))).text)?.[1]
    const minute = Math.floor(Date.now() / 60_000) * 60_000
    stopServiceNow(minute + 5_500)
    const first = await keyOf()
    stopServiceNow(minute + 50_500)
    expect(await keyOf()).toBe(first)
  })

  it('belongs to a master playlist with the rates of the limits and without tracks that have nothing yet', async () => {
    const video = await makeGrowing(ctx, { languages: ['en', 'de'] })
    await video.finishChunks(0)
    await video.addSound(0, 1)
    await video.markPlayable()
    const token = await vi.waitFor(async () => (await askToken(video.id)).body.data.token)
    const { text } = await read((await exchange(token)).body.data.masterPlaylistUrl)
    expect(text.split('\n').filter((line) => line.startsWith('#EXT-X-STREAM-INF'))).toEqual([
      '#EXT-X-STREAM-INF:BANDWIDTH=3220800,RESOLUTION=1280x720,FRAME-RATE=30.000,CODECS="avc1.640028,mp4a.40.2",AUDIO="audio",CLOSED-CAPTIONS=NONE',
      '#EXT-X-STREAM-INF:BANDWIDTH=1020800,RESOLUTION=640x360,FRAME-RATE=30.000,CODECS="avc1.640028,mp4a.40.2",AUDIO="audio",CLOSED-CAPTIONS=NONE',
    ])
    expect(text).toContain('URI="audio-0.m3u8"')
    expect(text).not.toContain('audio-1')
  })

  it('is served with session data, a key and without a poster, and for a silent video without sound', async () => {
    const { file } = await playing({ languages: [] })
    expect(JSON.parse((await read(file('session.json'))).text)).toMatchObject({ durationSec: 36, poster: null, storyboard: null })
    expect((await read(file('poster.jpg'))).status).toBe(404)
    const key = /URI="([^"]+)"/.exec((await read(file('360p.m3u8'))).text)?.[1] as string
    expect((await fetch(key).then((response) => response.arrayBuffer())).byteLength).toBe(16)
    expect((await read(file('master.m3u8'))).text).not.toContain('AUDIO')
    expect((await read(file('audio-0.m3u8'))).status).toBe(404)
  })

  it('is watched with reports that count', async () => {
    const { id, file } = await playing()
    const permit = new URL(file('master.m3u8')).pathname.split('/').at(-2) as string
    const report = { permit, session: 'a'.repeat(32), watchMs: 1_000, rebufferMs: 0, rebuffers: 0, errors: 0, startupMs: 200, reached: [0] }
    await recordViewing({ address: '192.0.2.1', userAgent: 'test' }, { videoId: id, ...report })
    await viewingCounts().flush()
    expect(await db().viewDay.findFirst({ where: { videoId: id } })).toMatchObject({ plays: 1 })
  })

  it('is gone when the video fails', async () => {
    const { id, file } = await playing()
    await db().media.update({ where: { id }, data: { status: 'FAILED', failureReason: 'Broken' } })
    await vi.waitFor(async () => expect((await read(file('720p.m3u8'))).status).toBe(404))
  })
})

it('the event of a playable video is emitted once per upload or retry, with the planned renditions', async () => {
  const video = await playing()
  expect(await video.markPlayable()).toBe(false)
  const events = () => db().webhookEvent.findMany({ where: { accountId: ctx.accountId, type: 'video.playable' } })
  expect((await events()).map(({ payload }) => JSON.parse(payload).data)).toMatchObject([
    { videoId: video.id, durationSec: 36, qualities: ['720p', '360p'], encrypted: true, externalId: null },
  ])
  await db().media.update({ where: { id: video.id }, data: { status: 'PENDING' } })
  await db().media.update({ where: { id: video.id }, data: { status: 'PROCESSING' } })
  expect(await video.markPlayable()).toBe(true)
  expect(await events()).toHaveLength(1)
})

it('a video of an account that does not allow it does not become playable', async () => {
  await setPlaysEarly(ctx, { playsEarly: false, expected: true })
  const video = await makeGrowing(ctx)
  await video.finishChunks(0)
  expect(await video.markPlayable()).toBe(false)
  expect(await db().webhookEvent.count({ where: { accountId: ctx.accountId } })).toBe(0)
})

describe('a playlist', () => {
  it('is not sent again to a caller that holds it, until it changes or its key URL is old', async () => {
    const video = await playing()
    const url = video.file('720p.m3u8')
    const first = await fetch(url)
    const etag = first.headers.get('etag') as string
    expect(etag).toMatch(/^W\/"[\w-]{22}\.\w+"$/)
    const held = (sent = etag) => fetch(url, { headers: { 'If-None-Match': sent } })
    stopServiceNow(Date.now() + 80_000)
    const same = await held()
    expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, ''])
    // As a server in front of this one changes it.
    for (const changed of [etag.replace(/"$/, '-gzip"'), etag.replace('W/', ''), `"other", ${etag}`])
      expect((await held(changed)).status).toBe(304)
    stopServiceNow(Date.now() + 180_000)
    expect((await held()).status).toBe(200)
    stopServiceNow(undefined)
    await video.finishChunks(1)
    await vi.waitFor(async () => expect((await held()).status).toBe(200))
    const master = await fetch(video.file('master.m3u8'))
    const again = await fetch(video.file('master.m3u8'), { headers: { 'If-None-Match': master.headers.get('etag') as string } })
    expect(again.status).toBe(304)
  })

  it('is compressed for callers that accept it', async () => {
    const video = await playing({ chunks: 20 })
    await video.finishChunks(...Array.from({ length: 19 }, (_, at) => at + 1))
    const url = video.file('720p.m3u8')
    await vi.waitFor(async () => expect(await count(url)).toBe(60))
    const raw = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } })
    expect(raw.headers.get('content-encoding')).toBe(null)
    expect(raw.headers.get('vary')).toBe('Accept-Encoding')
    const packed = await getRaw(url, { 'Accept-Encoding': 'br, gzip;q=0.8' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(packed.body.length) })
    expect(packed.headers.etag).toBe(raw.headers.get('etag'))
    const text = await raw.text()
    expect(String(gunzipSync(packed.body))).toBe(text)
    expect(packed.body.length).toBeLessThan(text.length / 2)
  })
})
