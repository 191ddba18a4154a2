import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../server/context.ts'
import { keyUrl } from '../../server/modules/delivery/segments/key-url.ts'
import { masterPlaylistUrl, mintSession } from '../../server/modules/delivery/sessions/media-permit.ts'
import { newContentKey, sealContentKey, streamKey } from '../../server/modules/transcoding/encode/content-key.ts'
import { contentName } from '../../server/modules/transcoding/encode/segment-store.ts'
import { segmentKey } from '../../server/modules/videos/media-keys.ts'
import { removeVideo, restoreVideo } from '../../server/modules/videos/remove.ts'
import { db } from '../../server/platform/database/database.ts'
import { storage } from '../../server/platform/storage/storage.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { makeAccount, makeVideo } from '../../server/testing/make.ts'
import { stopServiceNow } from '../../server/testing/service-now.ts'

await testDatabase()
let base: string
let ctx: AccountCtx
const BODY = randomBytes(1_000)
const NAMES = [contentName(BODY), 'b'.repeat(32), 'c'.repeat(32), 'd'.repeat(32)] as const

/** Creates a COMPLETED video with renditions and stored segments, which are noise: these tests decode nothing. */
async function playable(): Promise<{ id: string; key: Buffer; master: string }> {
  const id = await makeVideo(ctx, { qualities: ['720p', '360p'], durationSec: 7 })
  const key = newContentKey()
  await db().media.update({ where: { id }, data: { contentKey: sealContentKey(key, id) } })
  const rendition = { bandwidth: 2_000_000, averageBandwidth: 1_500_000, codecs: 'avc1.64001f,mp4a.40.2', frameRate: 29.97, bytes: 2_000n }
  await db().rendition.createMany({
    data: [
      {
        mediaId: id,
        quality: '360p',
        width: 640,
        height: 360,
        segments: [
          [NAMES[2], 4.004],
          [NAMES[3], 3.1],
        ],
        ...rendition,
        bandwidth: 800_000,
      },
      {
        mediaId: id,
        quality: '720p',
        width: 1280,
        height: 720,
        segments: [
          [NAMES[0], 4.004],
          [NAMES[1], 3.1],
        ],
        ...rendition,
      },
    ],
  })
  await storage().put(segmentKey(id, NAMES[0]), BODY)
  return { id, key, master: masterPlaylistUrl(id, 7).url }
}

const sessionUntil = (id: string, expiresAt: number) => mintSession(id, { expiresAt, renewableUntil: expiresAt, opening: { number: 0 } })

beforeAll(async () => {
  base = await startHttpServer()
  ctx = await makeAccount()
})

const error = async (response: Response) =>
  ((await response.json()) as { error: { code: string; status: number; requestId: string } }).error
/** fetch, except for headers that it would set. */
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') => fetch(url, { method, headers })

describe('playlists', () => {
  it('master: lists renditions highest first, is not cached unless requested, is open to any origin', async () => {
    const { master } = await playable()
    const response = await get(master)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await response.text()).toBe(
      [
        '#EXTM3U',
        '#EXT-X-VERSION:6',
        '#EXT-X-INDEPENDENT-SEGMENTS',
        '#EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,RESOLUTION=1280x720,FRAME-RATE=29.970,CODECS="avc1.64001f,mp4a.40.2",CLOSED-CAPTIONS=NONE',
        '720p.m3u8',
        '#EXT-X-STREAM-INF:BANDWIDTH=800000,AVERAGE-BANDWIDTH=1500000,RESOLUTION=640x360,FRAME-RATE=29.970,CODECS="avc1.64001f,mp4a.40.2",CLOSED-CAPTIONS=NONE',
        '360p.m3u8',
        '',
      ].join('\n'),
    )
  })

  it('media: lists a key address and the segments on the CDN', async () => {
    const { id, master } = await playable()
    const response = await get(master.replace('master', '720p'))
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const [head, key, ...rest] = (await response.text()).split(/(?=#EXT-X-KEY|#EXTINF|#EXT-X-ENDLIST)/)
    expect(head).toBe(
      '#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:5\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-INDEPENDENT-SEGMENTS\n',
    )
    expect(key).toMatch(
      new RegExp(`^#EXT-X-KEY:METHOD=AES-128,URI="${base}/cdn/keys/${id}\\?exp=\\d+&session=0&sig=[\\w-]{22}&stream=720p"\n$`),
    )
    expect(rest).toEqual([
      `#EXTINF:4.004000,\n${base}/cdn/segments/${id}/${NAMES[0]}.ts\n`,
      `#EXTINF:3.100000,\n${base}/cdn/segments/${id}/${NAMES[1]}.ts\n`,
      '#EXT-X-ENDLIST\n',
    ])
  })

  it('sign a new key address each time, which outlives the previous one', async () => {
    const { master } = await playable()
    const read = async () => Number(/exp=(\d+)/.exec(await (await get(master.replace('master', '720p'))).text())?.[1])
    const moment = Date.now()
    stopServiceNow(moment)
    const first = await read()
    stopServiceNow(moment + 100_000)
    const second = await read()
    stopServiceNow(undefined)
    expect(second).toBe(first + 100)
  })

  it('name no key for a video that is not encrypted', async () => {
    const { id, master } = await playable()
    await db().media.update({ where: { id }, data: { encrypted: false, contentKey: null } })
    expect(await (await get(master.replace('master', '720p'))).text()).not.toContain('EXT-X-KEY')
  })

  it.each<[string, (video: { id: string; master: string }, other: string) => string, number, string]>([
    ['an invalid permit', ({ master }) => master.replace(/\/[^/]+\/master/, '/nonsense/master'), 401, 'PLAYBACK_TOKEN_INVALID'],
    ["another video's permit", ({ master, id }, other) => master.replace(id, other), 401, 'PLAYBACK_TOKEN_INVALID'],
    ['an expired permit', ({ id }) => `${base}/cdn/hls/${id}/${sessionUntil(id, 1_000_000)}/master.m3u8`, 401, 'PLAYBACK_TOKEN_EXPIRED'],
    ['a missing video', () => `${base}/cdn/hls/vid_none/${sessionUntil('vid_none', 9_999_999_999)}/master.m3u8`, 404, 'VIDEO_NOT_FOUND'],
    ['an invalid id', () => `${base}/cdn/hls/a%2Fb/${sessionUntil('a/b', 9_999_999_999)}/master.m3u8`, 404, 'VIDEO_NOT_FOUND'],
    ['a rendition it does not have', ({ master }) => master.replace('master', '1080p'), 404, 'NOT_FOUND'],
    ['another file', ({ master }) => master.replace('master.m3u8', 'master.txt'), 404, 'NOT_FOUND'],
  ])('are refused for %s', async (_name, address, status, code) => {
    const [video, other] = [await playable(), await playable()]
    const response = await get(address(video, other.id))
    expect(response.status).toBe(status)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await error(response)).toMatchObject({ code, status })
  })

  it('are refused while the video is not COMPLETED', async () => {
    const { id, master } = await playable()
    await db().media.update({ where: { id }, data: { status: 'PROCESSING' } })
    await vi.waitFor(async () => expect((await get(master)).status).toBe(404))
  })
})

describe('keys', () => {
  it('are 16 raw bytes that no cache may store', async () => {
    const { id, key } = await playable()
    const response = await get(keyUrl(id, undefined, '720p'))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(Buffer.from(await response.arrayBuffer()).equals(streamKey(key, '720p'))).toBe(true)
    expect((await get(keyUrl(id))).status).toBe(401)
  })

  it('of media from an early version are one for all streams, and their URLs name none', async () => {
    const { id, master } = await playable()
    const key = randomBytes(16)
    await db().media.update({ where: { id }, data: { contentKey: sealContentKey(key, id) } })
    for (const quality of ['720p', '360p']) {
      const playlist = await (await get(master.replace('master', quality))).text()
      const address = /URI="([^"]+)"/.exec(playlist)?.[1] as string
      expect(address).not.toContain('stream=')
      expect(Buffer.from(await (await get(address)).arrayBuffer())).toEqual(key)
    }
    expect((await get(keyUrl(id, undefined, '720p'))).status).toBe(401)
  })

  it.each<[string, (address: string) => string, string]>([
    ['no stream', (address) => address.replace(/&stream=.*/, ''), 'PLAYBACK_TOKEN_INVALID'],
    ['another stream', (address) => address.replace('stream=720p', 'stream=360p'), 'PLAYBACK_TOKEN_INVALID'],
    ['a changed expiry', (address) => address.replace(/exp=\d/, 'exp=9'), 'PLAYBACK_TOKEN_INVALID'],
    ['no signature', (address) => address.replace(/&sig=.*/, ''), 'PLAYBACK_TOKEN_INVALID'],
    ['nothing at all', (address) => address.replace(/\?.*/, ''), 'PLAYBACK_TOKEN_INVALID'],
  ])('are refused for %s', async (_name, change, code) => {
    const { id } = await playable()
    const response = await get(change(keyUrl(id, undefined, '720p')))
    expect(response.status).toBe(401)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await error(response)).code).toBe(code)
  })
})

it('playlists and keys of a deleted video are refused; of a restored one they are served', async () => {
  const { id, master } = await playable()
  const addresses = [master, master.replace('master', '720p'), keyUrl(id, undefined, '720p')]
  const statuses = () => Promise.all(addresses.map(async (address) => (await get(address)).status))
  expect(await statuses()).toEqual([200, 200, 200])
  await removeVideo(ctx, { videoId: id })
  await vi.waitFor(async () => expect(await statuses()).toEqual([404, 404, 404]))
  expect((await error(await get(master))).code).toBe('VIDEO_NOT_FOUND')
  await restoreVideo(ctx, { videoId: id })
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200, 200]))
})

describe('segments', () => {
  it('are public and cacheable for a year', async () => {
    const { id } = await playable()
    const address = `${base}/cdn/segments/${id}/${NAMES[0]}.ts`
    const response = await get(address)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'video/mp2t',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': '1000',
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      etag: `"${NAMES[0]}"`,
    })
    expect(Buffer.from(await response.arrayBuffer()).equals(BODY)).toBe(true)
    expect((await get(address, { 'If-None-Match': `"${NAMES[0]}"` })).status).toBe(304)
  })

  it('are served with what a player measured, in the query or in headers', async () => {
    const { id } = await playable()
    const address = `${base}/cdn/segments/${id}/${NAMES[0]}.ts`
    const statuses = [
      (await get(`${address}?CMCD=bl%3D21300%2Cbr%3D3200%2Ccid%3D%22faec5fc2%22%2Csid%3D%226e2fb550%22`)).status,
      (await get(address, { 'CMCD-Request': 'mtp=25400', 'CMCD-Object': 'br=3200,d=4004', 'CMCD-Session': 'sid="6e2fb550"' })).status,
    ]
    expect(statuses).toEqual([200, 200])
  })

  it('are served in ranges', async () => {
    const { id } = await playable()
    const address = `${base}/cdn/segments/${id}/${NAMES[0]}.ts`
    const part = await get(address, { Range: 'bytes=100-199' })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe('bytes 100-199/1000')
    expect(part.headers.get('content-length')).toBe('100')
    expect(Buffer.from(await part.arrayBuffer()).equals(BODY.subarray(100, 200))).toBe(true)
    const beyond = await get(address, { Range: 'bytes=1000-' })
    expect(beyond.status).toBe(416)
    expect(beyond.headers.get('content-range')).toBe('bytes */1000')
  })

  it('return their size to HEAD without being read', async () => {
    const { id } = await playable()
    const response = await get(`${base}/cdn/segments/${id}/${NAMES[0]}.ts`, {}, 'HEAD')
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '1000'])
    expect(await response.text()).toBe('')
  })

  it.each([
    `${NAMES[1]}.ts`,
    `${NAMES[0]}`,
    `${NAMES[0]}.mp4`,
    '..%2f..%2fsecret.ts',
    '%2e%2e',
    'A'.repeat(32).concat('.ts'),
    '%00.ts',
    `${'f'.repeat(2_000)}.ts`,
  ])('%s does not exist', async (name) => {
    const { id } = await playable()
    const response = await get(`${base}/cdn/segments/${id}/${name}`)
    expect(response.status).toBe(404)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await error(response)).code).toBe('NOT_FOUND')
  })

  it('of no video do not exist either', async () => {
    for (const id of ['../../server', '%2e%2e', 'vid_x', '.tmp', 'vid_%2f..']) {
      expect((await get(`${base}/cdn/segments/${id}/${NAMES[0]}.ts`)).status).toBe(404)
    }
  })
})

it.each(['hls/vid_a/permit/master.m3u8', `segments/vid_a/${'a'.repeat(32)}.ts`, 'keys/vid_a'])(
  '%s accepts GET and responds to preflights',
  async (path) => {
    const wrong = await get(`${base}/cdn/${path}`, {}, 'POST')
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(wrong.headers.get('access-control-allow-origin')).toBe('*')
    const preflight = await get(
      `${base}/cdn/${path}`,
      { Origin: 'https://player.example', 'Access-Control-Request-Method': 'GET' },
      'OPTIONS',
    )
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-headers')).toBe(
      'Range, If-None-Match, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session',
    )
  },
)

describe('a segment in parts', () => {
  it.each<[string, Record<string, string>, number, string | null, string]>([
    ['the last bytes', { Range: 'bytes=-3' }, 206, 'bytes 997-999/1000', '3'],
    ['from a byte on', { Range: 'bytes=990-' }, 206, 'bytes 990-999/1000', '10'],
    ['beyond the end', { Range: 'bytes=990-5000' }, 206, 'bytes 990-999/1000', '10'],
    ['several ranges, which receive the complete body', { Range: 'bytes=0-1,5-6' }, 200, null, '1000'],
    ['a malformed range, which receives the complete body', { Range: 'bytes=b-a' }, 200, null, '1000'],
    ['a reversed range, which receives the complete body', { Range: 'bytes=9-5' }, 200, null, '1000'],
    ['another unit, which receives the complete body', { Range: 'pages=1-2' }, 200, null, '1000'],
    ['If-Range with the present validator', { Range: 'bytes=0-9', 'If-Range': `"${NAMES[0]}"` }, 206, 'bytes 0-9/1000', '10'],
    ['If-Range with another validator, which receives the complete body', { Range: 'bytes=0-9', 'If-Range': '"other"' }, 200, null, '1000'],
    ['an empty range', { Range: 'bytes=-0' }, 416, 'bytes */1000', '0'],
  ])('%s', async (_name, headers, status, range, length) => {
    const { id } = await playable()
    const address = `${base}/cdn/segments/${id}/${NAMES[0]}.ts`
    const response = await get(address, headers)
    expect([response.status, response.headers.get('content-range'), response.headers.get('content-length')]).toEqual([
      status,
      range,
      length,
    ])
    const head = await get(address, headers, 'HEAD')
    expect([head.status, head.headers.get('content-range'), head.headers.get('content-length')]).toEqual([status, range, length])
    expect((await response.arrayBuffer()).byteLength).toBe(Number(length))
  })

  it.each([
    ['the same', () => `"${NAMES[0]}"`, 304],
    ['a weak one', () => `W/"${NAMES[0]}"`, 304],
    ['one of several', () => `"x", "${NAMES[0]}"`, 304],
    ['any', () => '*', 304],
    ['another', () => '"x"', 200],
  ])('held as %s validator', async (_name, validator, status) => {
    const { id } = await playable()
    expect((await get(`${base}/cdn/segments/${id}/${NAMES[0]}.ts`, { 'If-None-Match': validator() })).status).toBe(status)
  })
})
