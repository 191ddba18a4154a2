import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { env } from '../../../platform/config/config.ts'
import { services } from '../../../platform/container.ts'
import { db } from '../../../platform/database/database.ts'
import { environment, ffmpegProgram } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { newContentKey, sealContentKey, streamKey } from '../../transcoding/encode/content-key.ts'
import { contentName, encryptSegment } from '../../transcoding/encode/segment-store.ts'
import { extraKey, pictureKey, segmentKey } from '../../videos/media-keys.ts'
import { mintPicturePermit } from './picture.ts'
import { posterAt } from './poster-at.ts'

await testDatabase()
const baseUrl = await startHttpServer()

const PICTURES = ['a poster', 'a candidate', 'a sheet'].map((text) => Buffer.from(text))
const [POSTER, CANDIDATE, SHEET] = PICTURES.map(contentName) as [string, string, string]

/** Segments of 4 s: red; then blue for 2 s and lime for 2 s. */
const source = (color: string, seconds: number) => ['-f', 'lavfi', '-i', `color=c=${color}:s=320x180:r=10:d=${seconds}`]
const ENCODED = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '20', '-f', 'mpegts']
const segmentFiles = () =>
  Promise.all([
    makeMediaFile('red.ts', [...source('red', 4), ...ENCODED]),
    makeMediaFile('blue-lime.ts', [...source('blue', 2), ...source('lime', 2), '-filter_complex', 'concat=n=2', ...ENCODED]),
  ])

let owner: AccountCtx
let key: string
let segments: Buffer[]
beforeAll(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner)).value
  segments = await Promise.all((await segmentFiles()).map((path) => readFile(path)))
})
beforeEach(() => services().thumbnails.drawn.clear())

async function makeWatchable({ encrypted }: { encrypted: boolean }): Promise<string> {
  const contentKey = newContentKey()
  const stored = segments.map((plain, sequence) =>
    encrypted ? encryptSegment(plain, streamKey(contentKey, '180p'), sequence) : { name: contentName(plain), body: plain },
  )
  const id = await makeVideo(owner, {
    qualities: ['180p'],
    durationSec: 8,
    encrypted,
    poster: POSTER,
    posterCandidates: [POSTER, CANDIDATE],
  })
  const storyboard = { everySec: 10, count: 1, columns: 1, rows: 1, width: 160, height: 90, sheets: [SHEET] }
  await db().media.update({ where: { id }, data: { storyboard, contentKey: encrypted ? sealContentKey(contentKey, id) : null } })
  const rates = { bandwidth: 800_000, averageBandwidth: 700_000, codecs: 'avc1.64001f', frameRate: 10, bytes: 100n }
  const named = stored.map(({ name }) => [name, 4])
  await db().rendition.create({ data: { mediaId: id, quality: '180p', width: 320, height: 180, segments: named, ...rates } })
  for (const { name, body } of stored) await storage().put(segmentKey(id, name), body)
  for (const picture of PICTURES) await storage().put(pictureKey(id, contentName(picture)), picture)
  return id
}

const api = async (path: string) => {
  const response = await fetch(`${baseUrl}/v1/video/${path}`, { headers: { 'x-service-key': key } })
  const { data, error } = await response.json()
  return { status: response.status, data, error }
}

/** Returns width, height and color of a picture. */
async function seen(picture: Buffer): Promise<{ size: string; color: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-seen-'))
  try {
    await writeFile(join(folder, 'picture'), picture)
    const run = (filter: string, format: string[]) =>
      promisify(execFile)(
        ffmpegProgram(),
        ['-nostdin', '-v', 'info', '-i', join(folder, 'picture'), '-vf', filter, '-frames:v', '1', ...format, '-'],
        {
          env: environment(),
          encoding: 'buffer',
        },
      )
    const { stdout, stderr } = await run('scale=1:1', ['-pix_fmt', 'rgb24', '-f', 'rawvideo'])
    const color = ['red', 'lime', 'blue'].find((_, at) => (stdout[at] ?? 0) > 180) ?? 'none'
    return { size: /, (\d+x\d+)/.exec(stderr.toString())?.[1] ?? '', color }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe.each([{ encrypted: true }, { encrypted: false }])('pictures of a video, $encrypted encrypted', ({ encrypted }) => {
  let videoId: string
  beforeAll(async () => {
    videoId = await makeWatchable({ encrypted })
  })

  test.each([
    ['time=1', 'image/jpeg', '320x180', 'red'],
    ['time=4.5&width=160', 'image/jpeg', '160x90', 'blue'],
    ['time=6.5&width=64&format=webp', 'image/webp', '64x36', 'lime'],
    ['time=8&width=1920', 'image/jpeg', '320x180', 'blue'],
    ['', 'image/jpeg', '320x180', 'blue'],
  ])('a thumbnail at %s', async (search, type, size, color) => {
    const { status, data } = await api(`${videoId}/pictures?${search}`)
    expect(status).toBe(200)
    const response = await fetch(data.thumbnail)
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      type,
      'private, max-age=86400, immutable',
    ])
    expect(await seen(Buffer.from(await response.arrayBuffer()))).toEqual({ size, color })
    expect(await readdir(join(env().DATA_DIR, 'work'))).toEqual([])
  })
})

describe('picture URLs', () => {
  let videoId: string
  beforeAll(async () => {
    videoId = await makeWatchable({ encrypted: true })
  })
  const statusOf = async (url: string) => (await fetch(url)).status

  test('open their own picture alone', async () => {
    const { data } = await api(`${videoId}/pictures?time=1`)
    const { poster, storyboard, thumbnail, expiresAt } = data
    expect(new Date(expiresAt).getTime() - Date.now()).toBeGreaterThan(3_500_000)
    expect([await statusOf(poster), await statusOf(storyboard), await statusOf(thumbnail)]).toEqual([200, 200, 200])
    const files = [poster, storyboard, thumbnail].map((url: string) => url.slice(url.lastIndexOf('/') + 1))
    const more = ['poster.jpg', `poster-${CANDIDATE}.jpg`, `storyboard-${SHEET}.jpg`, 'thumbnail-1000-641.jpg', 'thumbnail-1000-640.webp']
    for (const url of [poster, storyboard, thumbnail] as string[])
      for (const file of [...files, ...more, 'master.m3u8', 'session.json', 'chapters.vtt'].filter((name) => !url.endsWith(`/${name}`)))
        expect([file, await statusOf(url.replace(/[^/]+$/, file))]).toEqual([file, 401])
    const other = await makeWatchable({ encrypted: false })
    expect(await statusOf(thumbnail.replace(videoId, other))).toBe(401)
  })

  test('of a storyboard lead to sheets, each with a URL of its own', async () => {
    const { data } = await api(`${videoId}/pictures`)
    const cues = await (await fetch(data.storyboard)).text()
    const [, sheet = ''] = /\n(\S+)#xywh=/.exec(cues) ?? []
    const url = new URL(sheet, data.storyboard).href
    expect(await (await fetch(url)).text()).toBe('a sheet')
    expect(await statusOf(url.replace(/[^/]+$/, 'storyboard.vtt'))).toBe(401)
  })

  test('expire, and a permit of all pictures opens no thumbnail', async () => {
    const file = 'thumbnail-1000-640.jpg'
    const past = mintPicturePermit(SERVICE, videoId, file, Math.floor(Date.now() / 1_000) - 1)
    const response = await fetch(`${baseUrl}/cdn/hls/${videoId}/${past}/${file}`)
    expect([response.status, (await response.json()).error.code]).toEqual([401, 'PLAYBACK_TOKEN_EXPIRED'])
  })

  test('are refused once the video is deleted, or its account suspended', async () => {
    const id = await makeWatchable({ encrypted: true })
    const { thumbnail, poster } = (await api(`${id}/pictures`)).data
    expect([await statusOf(thumbnail), await statusOf(poster)]).toEqual([200, 200])
    await db().video.update({ where: { id }, data: { deletedAt: new Date() } })
    for (const url of [thumbnail, poster]) await expect.poll(() => statusOf(url)).toBe(404)
    await db().video.update({ where: { id }, data: { deletedAt: null } })
    for (const url of [thumbnail, poster]) await expect.poll(() => statusOf(url)).toBe(200)
    await db().account.update({ where: { id: owner.accountId }, data: { suspendedAt: new Date(), suspensionReason: 'test' } })
    for (const url of [thumbnail, poster]) await expect.poll(() => statusOf(url)).toBe(404)
    await db().account.update({ where: { id: owner.accountId }, data: { suspendedAt: null, suspensionReason: null } })
    await expect.poll(async () => (await api(id)).status).toBe(200)
  })

  test('are null while there is nothing to show, also in the list', async () => {
    const pending = await makeVideo(owner, { status: 'PENDING' })
    const nothing = { poster: null, storyboard: null, expiresAt: expect.any(String) }
    expect((await api(`${pending}/pictures`)).data).toEqual({ ...nothing, thumbnail: null })
    expect((await api(`${pending}?expand=pictures`)).data.pictures).toEqual(nothing)
    const { poster, storyboard } = (await api(`${videoId}?expand=pictures`)).data.pictures
    expect([await statusOf(poster), await statusOf(storyboard)]).toEqual([200, 200])
  })

  test.each(['time=-1', 'time=9', 'time=x', 'width=15', 'width=1921', 'width=1.5', 'format=gif'])('400 for %s', async (search) => {
    expect(await api(`${videoId}/pictures?${search}`)).toMatchObject({ status: 400, error: { code: 'INVALID_REQUEST' } })
  })
})

describe('thumbnails', () => {
  test('the frame at a second becomes the poster', async () => {
    const videoId = await makeWatchable({ encrypted: true })
    const { name } = await posterAt(owner, { videoId, time: 4.5 })
    expect(await seen(await buffer(storage().read(extraKey(videoId, name))))).toEqual({ size: '320x180', color: 'blue' })
    expect(await db().video.findUniqueOrThrow({ where: { id: videoId } })).toMatchObject({ poster: name, posterUploaded: name })
    expect(await db().auditEntry.findFirst({ where: { subject: videoId } })).toMatchObject({ action: 'video.poster' })
    await expect(posterAt(owner, { videoId, time: 9 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  test('are drawn once for all who request one at once, and kept', async () => {
    const videoId = await makeWatchable({ encrypted: true })
    const { thumbnail } = (await api(`${videoId}/pictures?time=2`)).data
    const bodies = await Promise.all(Array.from({ length: 20 }, async () => Buffer.from(await (await fetch(thumbnail)).arrayBuffer())))
    expect(new Set(bodies.map((body) => body.toString('hex'))).size).toBe(1)
    expect(services().thumbnails.drawn.size).toBe(1)
  })

  test('503 with Retry-After beyond those of one account at once', async () => {
    const videoId = await makeWatchable({ encrypted: true })
    const urls = await Promise.all(
      Array.from({ length: 16 }, async (_, at) => (await api(`${videoId}/pictures?time=1&width=${100 + at}`)).data.thumbnail as string),
    )
    // The places are held, so that none is finished before the last is requested.
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const holders = [1, 2].map((at) => services().thumbnails.turns.run([`other ${at}`, ''], () => held))
    const refused: (string | null)[][] = []
    const answers = urls.map(async (url) => {
      const { status, headers } = await fetch(url)
      if (status !== 200) refused.push([String(status), headers.get('retry-after')])
      return status
    })
    await expect.poll(() => refused).toEqual(Array(4).fill(['503', '2']))
    expect(services().thumbnails.drawn.size).toBe(12)
    release()
    await Promise.all(holders)
    expect((await Promise.all(answers)).filter((status) => status === 200)).toHaveLength(12)
  })
})
