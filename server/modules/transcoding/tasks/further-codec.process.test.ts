import { afterAll, beforeAll, expect, it } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { otherClip, replacer, storedUnder } from '../../../testing/media/replacing.ts'
import { transcodedVideo } from '../../../testing/media/transcoded.ts'
import { recount } from '../../../testing/recount.ts'
import { masterPlaylistUrl } from '../../delivery/sessions/media-permit.ts'
import { storageOf } from '../../identity/accounts/storage.ts'
import { removeFormerMedia } from '../../media/remove-former-media.ts'
import { removeDueMedia } from '../../media/remove-media.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { beginFurtherCodec } from '../plan/further-codec.ts'
import { sampleClipArguments } from '../quality/sample-clip.ts'
import { repairMedia } from '../repair.ts'

await testDatabase()
const baseUrl = await startHttpServer()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

/** Several chunks. */
const SECONDS = 22
/** 29.97 frames a second: no segment of H.264 has a whole number of frames in four seconds. */
const RATE = 30_000 / 1_001
const clip = (seconds: number) =>
  makeMediaFile('further.mp4', sampleClipArguments({ seconds, width: 256, height: 144, rate: '30000/1001' }))

const renditionsOf = (mediaId: string) => db().rendition.findMany({ where: { mediaId, codec: 'av1' } })
const lastLine = async (videoId: string) => (await db().videoLog.findFirstOrThrow({ where: { videoId }, orderBy: { id: 'desc' } })).message
const master = (id: string) => masterPlaylistUrl(id, SECONDS).url
const textOf = async (url: string) => (await fetch(url)).text()
/** Returns the URLs of the playlists of a video in a codec. */
const playlistsIn = async (id: string, codec: string) =>
  [...(await textOf(master(id))).matchAll(/^#EXT-X-STREAM-INF:.*CODECS="(\w+)\..*\n(.+)$/gm)]
    .filter(([, found]) => found === codec)
    .map(([, , name = '']) => new URL(name, master(id)).href)

/** Decodes a stream as a player does. Returns the number of its pictures, and the times of the first and the last in seconds. */
async function picturesOf(url: string) {
  const times: number[] = []
  const onLine = (line: string) => {
    const time = /^0,\s*\d+,\s*(\d+)/.exec(line)?.[1]
    if (time) times.push(Number(time) / 90_000)
  }
  const copied = ['-copyts', '-i', url, '-map', '0:v', '-fps_mode', 'passthrough', '-enc_time_base', '1/90000', '-f', 'framecrc', 'pipe:1']
  expect(await ffmpeg(copied, { onLine })).toBe('')
  return { count: times.length, first: times[0] as number, last: times.at(-1) as number }
}

/** A COMPLETED video with renditions of AV1. `factor`: bytes that those of H.264 had, of those that they need: a test picture is no real one. */
async function extended({ factor = 5n, seconds = 2 } = {}) {
  const caller = await replacer(baseUrl)
  const id = await transcodedVideo(caller.ctx, await clip(seconds), { targetQuality: '144p' })
  for (const { quality, bytes } of await db().rendition.findMany({ where: { mediaId: id } }))
    await db().rendition.updateMany({ where: { mediaId: id, quality }, data: { bytes: bytes * factor } })
  expect(await beginFurtherCodec(id, 'av1')).toBe(true)
  await caller.transcode(id)
  return { caller, id }
}

/** The video that the first tests look at, damage and repair, and whose source the last of them replaces. */
let whole: Awaited<ReturnType<typeof extended>>

it('a video plays in AV1 as well, with the same pictures at the same times, from the same master playlist', async () => {
  whole = await extended({ seconds: SECONDS })
  const { caller, id } = whole
  expect((await renditionsOf(id)).map(({ quality }) => quality)).toEqual(['144p'])
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toMatchObject({ mediaId: id, status: 'COMPLETED', qualities: ['144p'] })
  expect(await lastLine(id)).toMatch(
    /^Plays in AV1 as well: \d+\.\d MB instead of \d+\.\d MB \(\d\d % less\) where a device can decode it\.$/,
  )
  const variants = [...(await textOf(master(id))).matchAll(/^#EXT-X-STREAM-INF:.*CODECS="(\w+)/gm)].map(([, codec]) => codec)
  expect(variants).toEqual(['avc1', 'av01'])

  const [h264 = ''] = await playlistsIn(id, 'avc1')
  const [av1 = ''] = await playlistsIn(id, 'av01')
  const lines = (await textOf(av1)).split('\n')
  const at = (start: string) => lines.findIndex((line) => line.startsWith(start))
  expect(lines[at('#EXT-X-MAP')]).toBe('#EXT-X-MAP:URI="init-av1-144p.mp4"')
  expect(at('#EXT-X-KEY')).toBeGreaterThan(at('#EXT-X-MAP'))
  expect(lines.filter((line) => line.endsWith('.m4s'))).toHaveLength(Math.ceil(SECONDS / 4))
  const init = await fetch(new URL('init-av1-144p.mp4', av1))
  expect([init.status, init.headers.get('content-type')]).toEqual([200, 'video/mp4'])
  const segment = await fetch(lines.find((line) => line.endsWith('.m4s')) as string)
  expect([segment.headers.get('content-type'), segment.headers.get('cache-control')]).toEqual([
    'video/mp4',
    'public, max-age=31536000, immutable',
  ])

  const [expected, found] = [await picturesOf(h264), await picturesOf(av1)]
  expect(found.count).toBe(expected.count)
  expect(found.count).toBe(Math.ceil(SECONDS * RATE))
  expect(found.first).toBeCloseTo(expected.first, 3)
  expect(found.last).toBeCloseTo(expected.last, 3)
  // With the sound, as a player begins.
  expect(await ffmpeg(['-i', master(id), '-map', '0', '-f', 'null', '-'])).toBe('')
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
  expect(await beginFurtherCodec(id, 'av1')).toBe(false)
})

it('a damaged segment is encoded again under its name', async () => {
  const { id } = whole
  const renditions = await renditionsOf(id)
  const name = (renditions[0]?.segments as [string, number][] | undefined)?.[0]?.[0] ?? ''
  expect(name).toMatch(/^[0-9a-f]{32}\.m4s$/)
  await storage().put(segmentKey(id, name), Buffer.from('damaged'), { contentType: 'video/mp4', cacheControl: '' })
  await repairMedia(id, new AbortController().signal)
  expect((await renditionsOf(id))[0]?.segments).toEqual(renditions[0]?.segments)
  const [av1 = ''] = await playlistsIn(id, 'av01')
  expect((await picturesOf(av1)).count).toBe(Math.ceil(SECONDS * RATE))
})

it('renditions of a former source leave the master playlist at once, and storage when no session needs them', async () => {
  const { caller, id } = whole
  const [held = ''] = await playlistsIn(id, 'av01')
  await caller.sent(id, await otherClip(), { targetQuality: '240p' })
  const [replacement = ''] = await caller.pending(id)
  await caller.transcode(replacement)
  await expect.poll(() => playlistsIn(id, 'av01')).toEqual([])
  expect((await picturesOf(held)).count).toBeGreaterThan(0)

  await db().media.update({ where: { id }, data: { keptUntil: new Date(0) } })
  expect(await removeFormerMedia()).toBe(1)
  await removeDueMedia(new AbortController().signal)
  expect(await storedUnder(id)).toEqual([])
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
})

it('renditions that save too little are dropped, and nothing of them is left', async () => {
  const { caller, id } = await extended({ factor: 0n })
  expect(await renditionsOf(id)).toEqual([])
  expect(await lastLine(id)).toMatch(/^AV1 would save too little \(\d+\.\d MB instead of 0\.0 MB\)\. The video stays as it is\.$/)
  expect((await storedUnder(id)).filter((key) => key.endsWith('.m4s'))).toEqual([])
  expect((await storedUnder(id)).length).toBeGreaterThan(2)
  expect(await playlistsIn(id, 'av01')).toEqual([])
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
})

it('a new source ends them, and one that arrives while they are encoded takes their place', async () => {
  const { caller, id } = await extended()
  const [held = ''] = await playlistsIn(id, 'av01')
  await caller.sent(id, await otherClip(), { targetQuality: '240p' })
  const [replacement = ''] = await caller.pending(id)
  await caller.transcode(replacement)
  await expect.poll(() => playlistsIn(id, 'av01')).toEqual([])
  // A session of the time before plays on.
  expect((await picturesOf(held)).count).toBeGreaterThan(0)

  expect(await beginFurtherCodec(id, 'av1')).toBe(true)
  expect(await db().transcodeQueue.findMany({ select: { mediaId: true, codec: true } })).toEqual([{ mediaId: replacement, codec: 'av1' }])
  await caller.sent(id, await otherClip(), { targetQuality: '240p' })
  const [next = ''] = await caller.pending(id)
  expect(await db().transcodeQueue.findMany({ select: { mediaId: true, codec: true } })).toEqual([{ mediaId: next, codec: null }])
  await caller.transcode(next)
})
