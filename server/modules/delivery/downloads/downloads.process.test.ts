import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { ffmpeg, ffprobe } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { log } from '../../../platform/observe/log.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { withOneKey } from '../../../testing/media/one-key.ts'
import { storeVideo } from '../../../testing/media/stored-video.ts'
import { stopServiceNow } from '../../../testing/service-now.ts'
import { type Said, said } from '../../../testing/video-calls.ts'
import { removeMedia } from '../../media/remove-media.ts'
import { putCaptions } from '../../videos/captions/captions.ts'
import { downloadPrefix, segmentPrefix, sourceKey } from '../../videos/media-keys.ts'
import { removeVideo } from '../../videos/remove.ts'
import { evictDownloads } from './evict-downloads.ts'
import { prepareDownload } from './prepare-download.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const signal = new AbortController().signal
const folder = mkdtempSync(join(tmpdir(), 'reelgate-downloads-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeAll(async () => {
  await startQueue(JOBS)
  return stopQueue
})

const SECONDS = 6
const RATE = 25
const SPEC = {
  seconds: SECONDS,
  rate: RATE,
  captions: true,
  tracks: [
    { name: 'English', language: 'en', pitch: 440 },
    { name: 'Deutsch', language: 'de', pitch: 880 },
  ],
}
const SOURCE = Buffer.from('the original file, byte by byte')

let owner: AccountCtx
let key: string
let videoId: string
beforeEach(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner, { scopes: ['video:read', 'video:write'] })).value
  await permit(true)
  videoId = (await storeVideo(owner, SPEC)).id
  await storage().put(sourceKey(videoId), SOURCE)
  await db().video.update({ where: { id: videoId }, data: { title: 'Lesson 4: “Träge” Masse' } })
  await db().media.update({ where: { id: videoId }, data: { sourceKey: sourceKey(videoId) } })
})
const permit = (downloads: boolean) => db().account.update({ where: { id: owner.accountId }, data: { downloads } })

async function ask(body: object = {}, { as = key, id = videoId, method = 'POST' } = {}) {
  const headers = { ...(as && { 'x-service-key': as }), 'content-type': 'application/json' }
  return said(await send(`${baseUrl}/v1/video/${id}/download`, { method, headers, body: JSON.stringify(body) }))
}
/** Returns the URL of a rendition's MP4, after it was prepared. */
async function mp4(quality = '240p'): Promise<string> {
  const { data } = await ask({ quality })
  if (data?.status === 'preparing') await prepareDownload({ videoId, quality }, signal)
  return (await ask({ quality })).data?.url as string
}
const refusal = ({ status, code }: Said) => [status, code]
const objects = async () => {
  const found: string[] = []
  for await (const name of storage().list(downloadPrefix(videoId))) found.push(name)
  return found
}
const count = async (file: string) =>
  Number((await db().videoDownload.findUniqueOrThrow({ where: { videoId_file: { videoId, file } } })).downloads)

describe('POST /v1/video/{videoId}/download', () => {
  it('prepares the MP4 of a rendition once, then returns its URL', async () => {
    const first = await ask({ quality: '240p' })
    expect(first).toMatchObject({
      status: 200,
      data: {
        status: 'preparing',
        url: null,
        expiresAt: null,
        sizeBytes: null,
        retryAfterSec: 3,
        filename: 'Lesson 4 “Träge” Masse (240p).mp4',
      },
    })
    await ask({ quality: '240p' })
    const jobs = await query<{ data: object }>('test-jobs', `SELECT data FROM pgboss.job WHERE name = 'download.prepare'`, [])
    expect(jobs.filter(({ data }) => (data as { videoId: string }).videoId === videoId)).toHaveLength(1)
    await prepareDownload({ videoId, quality: '240p' }, signal)
    const { data } = await ask({ quality: '240p' })
    expect(data).toMatchObject({ status: 'ready', retryAfterSec: null, sizeBytes: expect.any(Number) })
    expect(Date.parse(data?.expiresAt as string) - Date.now()).toBeGreaterThan(3_500_000)
    // A repeated job, such as that of a killed worker, changes nothing.
    const before = await objects()
    await prepareDownload({ videoId, quality: '240p' }, signal)
    expect(await objects()).toEqual(before)
  })

  it('prepares the MP4 of media with one key for all streams', async () => {
    const picturesOf = async (url: string) => {
      const lines: string[] = []
      await ffmpeg(['-i', url, '-map', '0:v', '-map', '0:a', '-c', 'copy', '-f', 'framecrc', '-'], { onLine: (line) => lines.push(line) })
      return lines.filter((line) => !line.startsWith('#'))
    }
    const before = await picturesOf(await mp4())
    await withOneKey(videoId)
    const after = await mp4()
    expect((await ask({ quality: '240p' })).data?.status).toBe('ready')
    expect(before.length).toBeGreaterThan(SECONDS * RATE)
    expect(await picturesOf(after)).toEqual(before)
  })

  it('enqueues one job for concurrent first requests', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => ask({ quality: '240p' })))
    expect(all.map(({ data }) => data?.status)).toEqual(Array(8).fill('preparing'))
    const jobs = await query<{ data: object }>('test-jobs', `SELECT data FROM pgboss.job WHERE name = 'download.prepare'`, [])
    expect(jobs.filter(({ data }) => (data as { videoId: string }).videoId === videoId)).toHaveLength(1)
  })

  it('refuses for a while what could not be made three times, and then tries again', async () => {
    vi.spyOn(log(), 'error').mockReturnValue()
    await storage().deletePrefix(segmentPrefix(videoId))
    await ask({ quality: '240p' })
    for (const ends of [false, false, true]) {
      const ended = prepareDownload({ videoId, quality: '240p' }, signal).then(
        () => true,
        () => false,
      )
      expect(await ended).toBe(ends)
      if (!ends) expect((await ask({ quality: '240p' })).data?.status).toBe('preparing')
    }
    expect(refusal(await ask({ quality: '240p' }))).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect((await ask({ quality: '144p' })).data?.status).toBe('preparing')
    const later = `UPDATE video_download SET failed_at = failed_at - interval '11 minutes' WHERE video_id = $1`
    await query('test-failed-before', later, [videoId])
    expect((await ask({ quality: '240p' })).data?.status).toBe('preparing')
  })

  it('refuses while the account does not permit downloads', async () => {
    await permit(false)
    expect(refusal(await ask())).toEqual([403, 'DOWNLOADS_DISABLED'])
    expect(refusal(await ask({ quality: '240p' }))).toEqual([403, 'DOWNLOADS_DISABLED'])
  })

  it('refuses what it cannot deliver', async () => {
    const waiting = await makeVideo(owner, { status: 'PROCESSING', qualities: [], completedAt: null })
    const stranger = (await makeKey(await makeAccount(), { scopes: ['video:write'] })).value
    const reader = (await makeKey(owner, { scopes: ['video:read'] })).value
    expect(refusal(await ask({}, { id: waiting }))).toEqual([409, 'VIDEO_NOT_READY'])
    expect(refusal(await ask({ quality: '2160p' }))).toEqual([400, 'INVALID_REQUEST'])
    expect(refusal(await ask({ quality: 'best' }))).toEqual([400, 'INVALID_REQUEST'])
    expect(refusal(await ask({ format: 'mov' }))).toEqual([400, 'INVALID_REQUEST'])
    expect(refusal(await ask({}, { as: stranger }))).toEqual([404, 'VIDEO_NOT_FOUND'])
    expect(refusal(await ask({}, { as: reader }))).toEqual([403, 'INSUFFICIENT_SCOPE'])
    expect(refusal(await ask({}, { as: '' }))).toEqual([401, 'API_KEY_REQUIRED'])
    expect(refusal(await ask({}, { method: 'PUT' }))).toEqual([405, 'METHOD_NOT_ALLOWED'])
    await removeVideo(owner, { videoId })
    expect(refusal(await ask())).toEqual([404, 'VIDEO_NOT_FOUND'])
  })
})

describe('the MP4 of a rendition', () => {
  it('has its pictures, all sound and the captions, the index first', async () => {
    const path = join(folder, 'made.mp4')
    const body = Buffer.from(await (await fetch(await mp4())).arrayBuffer())
    writeFileSync(path, body)
    expect(body.indexOf('moov')).toBeLessThan(body.indexOf('mdat'))
    const { found } = await ffprobe(path)
    const { streams, format } = found as {
      streams: {
        codec_name: string
        codec_type: string
        height?: number
        nb_frames: string
        disposition: { default: number }
        tags: Record<string, string>
      }[]
      format: { duration: string }
    }
    expect(streams.map(({ codec_name, tags }) => [codec_name, tags.handler_name, tags.language])).toEqual([
      ['h264', expect.any(String), 'und'],
      ['aac', 'English', 'eng'],
      ['aac', 'Deutsch', 'deu'],
      ['mov_text', expect.any(String), 'eng'],
    ])
    expect(streams[0]).toMatchObject({ height: 240, nb_frames: String(SECONDS * RATE) })
    expect(streams.slice(1, 3).map(({ disposition }) => disposition.default)).toEqual([1, 0])
    expect(Number(format.duration)).toBeCloseTo(SECONDS, 0)
    const complaints = await ffmpeg(['-v', 'error', '-i', path, '-f', 'null', '-'], { only: { reads: [path], writes: [] } })
    expect(complaints).toBe('')
  })

  it('is made again when captions change, and the former file is removed', async () => {
    const url = await mp4()
    const [before] = await objects()
    await putCaptions(owner, {
      videoId,
      language: 'fr',
      label: 'Français',
      text: 'WEBVTT\n\n00:00.000 --> 00:01.000\nBonjour',
      expected: null,
    })
    expect((await ask({ quality: '240p' })).data?.status).toBe('preparing')
    // Until then the former file remains valid under its URL.
    expect((await fetch(url)).status).toBe(200)
    await mp4()
    const after = await objects()
    expect(after).toHaveLength(1)
    expect(after).not.toEqual([before])
    expect((await fetch(url)).status).toBe(404)
  })

  it('is removed a week after its last request, and with the video', async () => {
    const url = await mp4()
    await mp4('144p')
    const old = `UPDATE video_download SET requested_at = requested_at - interval '8 days' WHERE video_id = $1 AND file = '240p'`
    await query('test-old-download', old, [videoId])
    expect(await evictDownloads()).toBe(1)
    expect(await objects()).toHaveLength(1)
    expect((await fetch(url)).status).toBe(404)
    expect((await ask({ quality: '240p' })).data?.status).toBe('preparing')
    await removeMedia(videoId)
    expect(await objects()).toEqual([])
  })
})

describe('the MP4 files of an account', () => {
  const limitTo = (bytes: number) =>
    db().accountLimit.upsert({
      where: { accountId_name: { accountId: owner.accountId, name: 'downloadBytes' } },
      create: { accountId: owner.accountId, name: 'downloadBytes', value: BigInt(bytes), reason: 'a test', setBy: 'usr_test' },
      update: { value: BigInt(bytes) },
    })
  const sizeOf = async (file: string) =>
    Number((await db().videoDownload.findUniqueOrThrow({ where: { videoId_file: { videoId, file } } })).bytes)
  const stored = async () => {
    const rows = await db().videoDownload.findMany({ where: { videoId, name: { not: null } }, orderBy: { file: 'asc' } })
    expect(await objects()).toHaveLength(rows.length)
    return rows.map(({ file }) => file)
  }
  let large: number
  let small: number
  beforeEach(async () => {
    await mp4('240p')
    await mp4('144p')
    ;[large, small] = [await sizeOf('240p'), await sizeOf('144p')]
    expect(large).toBeGreaterThan(small)
  })
  const drop = (file: string) =>
    query('test-drop-download', `UPDATE video_download SET requested_at = requested_at - interval '8 days' WHERE file = $1`, [file])

  it('stay within its limit: the one that was not requested for longest is removed', async () => {
    await limitTo(large + small - 1)
    const url = (await ask({ quality: '144p' })).data?.url as string
    await drop('240p')
    await evictDownloads()
    expect(await stored()).toEqual(['144p'])
    await mp4('240p')
    expect(await stored()).toEqual(['240p'])
    expect((await fetch(url)).status).toBe(404)
    await limitTo(large + small)
    await mp4('144p')
    expect(await stored()).toEqual(['144p', '240p'])
  })

  it('stay within it when jobs store several at once', async () => {
    await drop('240p')
    await drop('144p')
    await evictDownloads()
    expect(await stored()).toEqual([])
    await limitTo(large + small - 1)
    const put = storage().putFile
    let pending = 0
    const most: number[] = []
    vi.spyOn(storage(), 'putFile').mockImplementation(async (key, path, headers) => {
      most.push(++pending)
      await put.call(storage(), key, path, headers)
      pending--
    })
    for (const quality of ['240p', '144p']) await ask({ quality })
    await Promise.all(['240p', '144p'].map((quality) => prepareDownload({ videoId, quality }, signal)))
    vi.restoreAllMocks()
    expect(most).toEqual([1, 1])
    expect(await stored()).toHaveLength(1)
  })

  it('include none that alone exceeds it, until the limit is raised', async () => {
    await drop('240p')
    await evictDownloads()
    await limitTo(large - 1)
    expect((await ask({ quality: '240p' })).data?.status).toBe('preparing')
    await prepareDownload({ videoId, quality: '240p' }, signal)
    expect(await ask({ quality: '240p' })).toMatchObject({
      status: 409,
      code: 'DOWNLOAD_TOO_LARGE',
      details: { sizeBytes: large, limitBytes: large - 1 },
    })
    // Others are not removed for it.
    expect(await stored()).toEqual(['144p'])
    await limitTo(large)
    expect((await ask({ quality: '240p' })).data?.status).toBe('preparing')
    await prepareDownload({ videoId, quality: '240p' }, signal)
    expect(await stored()).toEqual(['240p'])
  })

  it('are reduced to a limit that was lowered, and those of other accounts are not', async () => {
    await limitTo(large)
    const other = await makeAccount()
    const theirs = (await storeVideo(other, { seconds: 2, rate: RATE })).id
    await db().account.update({ where: { id: other.accountId }, data: { downloads: true } })
    const key = (await makeKey(other, { scopes: ['video:write'] })).value
    await ask({ quality: '240p' }, { as: key, id: theirs })
    await prepareDownload({ videoId: theirs, quality: '240p' }, signal)
    expect(await evictDownloads()).toBe(1)
    expect(await stored()).toEqual(['144p'])
    expect(await db().videoDownload.count({ where: { videoId: theirs, name: { not: null } } })).toBe(1)
  })

  it('are not stored for a video that was purged meanwhile', async () => {
    await drop('240p')
    await evictDownloads()
    await ask({ quality: '240p' })
    await db().videoDownload.delete({ where: { videoId_file: { videoId, file: '240p' } } })
    await prepareDownload({ videoId, quality: '240p' }, signal)
    expect(await stored()).toEqual(['144p'])
  })
})

describe('a URL of a file', () => {
  it('delivers it whole and in ranges, as a download with its name', async () => {
    const url = (await ask()).data?.url as string
    const response = await fetch(url)
    expect([response.status, await response.text()]).toEqual([200, String(SOURCE)])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition': 'attachment; filename="clip.mp4"; filename*=UTF-8\'\'clip.mp4',
      'content-type': 'application/octet-stream',
      'content-length': String(SOURCE.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    const etag = response.headers.get('etag') as string
    const part = await fetch(url, { headers: { Range: 'bytes=4-11', 'If-Range': etag } })
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, 'original', `bytes 4-11/${SOURCE.length}`])
    expect((await fetch(url, { headers: { Range: 'bytes=4-11', 'If-Range': '"other"' } })).status).toBe(200)
    expect((await fetch(url, { headers: { Range: 'bytes=999-' } })).status).toBe(416)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', String(SOURCE.length)])
    const named = await fetch(await mp4(), { method: 'HEAD' })
    expect(named.headers.get('content-disposition')).toBe(
      `attachment; filename="Lesson 4 _Tr_ge_ Masse (240p).mp4"; filename*=UTF-8''Lesson%204%20%E2%80%9CTr%C3%A4ge%E2%80%9D%20Masse%20%28240p%29.mp4`,
    )
  })

  it.each([
    ['video', 'ftypM4V ', 'video.m4v'],
    ['Lesson 1.25', 'ftypqt  ', 'Lesson 1.25.mov'],
    ['Segments', 'styp', 'Segments.mp4'],
    ['clip.MKV', 'ftypisom', 'clip.MKV'],
    ['notes', 'no video', 'notes'],
  ])('has an ending: of the file “%s” that begins with %s, the name is %s', async (sourceName, begin, filename) => {
    await storage().put(sourceKey(videoId), Buffer.concat([Buffer.from([0, 0, 0, 32]), Buffer.from(begin), Buffer.alloc(64)]))
    await db().media.update({ where: { id: videoId }, data: { sourceName } })
    const { data } = await ask()
    expect(data?.filename).toBe(filename)
    const { headers } = await fetch(data?.url as string, { method: 'HEAD' })
    expect(headers.get('content-disposition')).toMatch(`filename="${filename}"`)
  })

  it('is counted when a response begins with the first byte', async () => {
    const url = (await ask()).data?.url as string
    for (const range of ['bytes=-', 'bytes=0-3', 'bytes=4-']) await (await fetch(url, { headers: { Range: range } })).arrayBuffer()
    await fetch(url, { method: 'HEAD' })
    expect(await count('original')).toBe(2)
  })

  it('opens that file of that video alone, for an hour', async () => {
    const url = (await ask()).data?.url as string
    const [, permitOf = ''] = /\/(download-[\w-]+)\/original-\w+$/.exec(url) ?? []
    const other = (await storeVideo(owner, { seconds: 2, rate: RATE })).id
    const encoded = await mp4()
    const forged = [
      url.replace(videoId, other),
      url.replace(/original-\w+$/, encoded.split('/').at(-1) as string),
      url.replace(/-\w/, '-x'),
      url.replace(permitOf, 'download'),
    ]
    for (const one of forged) expect((await fetch(one)).status).toBe(401)
    expect((await fetch(url)).status).toBe(200)
    stopServiceNow(Date.now() + 3_601_000)
    const late = await fetch(url)
    stopServiceNow(undefined)
    expect([late.status, (await late.json()).error.code]).toEqual([401, 'PLAYBACK_TOKEN_EXPIRED'])
  })

  it('opens no original of another source', async () => {
    const url = (await ask()).data?.url as string
    await storage().put('sources/vid_another', Buffer.from('another file'))
    await db().media.update({ where: { id: videoId }, data: { sourceKey: 'sources/vid_another' } })
    expect((await fetch(url)).status).toBe(404)
    expect(await (await fetch((await ask()).data?.url as string)).text()).toBe('another file')
  })

  it.each<[string, () => Promise<unknown>]>([
    ['the video is deleted', () => removeVideo(owner, { videoId })],
    ['downloads are not permitted any more', () => permit(false)],
    ['the account is suspended', () => db().account.update({ where: { id: owner.accountId }, data: { suspendedAt: new Date() } })],
    ['the video is taken down', () => db().video.update({ where: { id: videoId }, data: { takenDownAt: new Date() } })],
  ])('opens nothing once %s', async (_what, change) => {
    const urls = [(await ask()).data?.url as string, await mp4()]
    for (const url of urls) expect((await fetch(url)).status).toBe(200)
    await change()
    for (const url of urls) expect((await fetch(url)).status).toBe(404)
  })
})
