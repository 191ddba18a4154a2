import { existsSync, readdirSync } from 'node:fs'
import { copyFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeMediaFile, shortClip } from '../../../testing/media/media-files.ts'
import { leaseOf, transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { provide } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { startWorker, stopWorker } from '../../../worker/worker.ts'
import { masterPlaylistUrl } from '../../delivery/sessions/media-permit.ts'
import { segmentPrefix } from '../../videos/media-keys.ts'
import { removeVideo, restoreVideo, retryVideo } from '../../videos/remove.ts'
import { decryptSegment } from '../encode/segment-store.ts'
import { sampleClipArguments } from '../quality/sample-clip.ts'
import { complete } from './complete.ts'
import { fail, release } from './lease.ts'
import { recordProgress } from './task-writes.ts'

const { dataDir } = await testDatabase()
expectLoggedErrors(/EEXIST.*transcoding failed/)
let ctx: AccountCtx

beforeAll(async () => {
  await startHttpServer()
  await startQueue(JOBS)
  ctx = await makeAccount()
})
afterAll(stopQueue)

const never = new AbortController().signal
/** One chunk, which takes a while with a single thread. */
const longClip = () => makeMediaFile('long.mp4', sampleClipArguments({ seconds: 19, width: 640, height: 360, rate: 12 }))
const video = (id: string) => db().media.findUniqueOrThrow({ where: { id }, include: { renditions: { orderBy: { height: 'desc' } } } })
const until = (id: string, state: (row: Awaited<ReturnType<typeof video>>) => void) =>
  vi.waitFor(
    async () => {
      const row = await video(id)
      state(row)
      return row
    },
    { timeout: 100_000, interval: 50 },
  )
const completed = (id: string) => until(id, (row) => expect([row.status, row.failureReason]).toEqual(['COMPLETED', null]))
async function stored(id: string): Promise<string[]> {
  const keys: string[] = []
  for await (const key of storage().list(segmentPrefix(id))) keys.push(key)
  return keys
}
const workFolders = () => (existsSync(join(dataDir, 'work')) ? readdirSync(join(dataDir, 'work')) : [])

/** URLs of a playlist, made absolute. */
async function playlist(url: string): Promise<{ text: string; entries: string[]; key: string | undefined }> {
  const text = await (await fetch(url)).text()
  const entries = text.split('\n').filter((line) => line && !line.startsWith('#'))
  return { text, entries: entries.map((entry) => new URL(entry, url).href), key: /URI="([^"]+)"/.exec(text)?.[1] }
}

describe('a transcoded video', () => {
  let url: string

  beforeAll(async () => {
    await startWorker()
    const row = await completed(await pendingVideo(ctx, await shortClip()))
    expect(row).toMatchObject({
      qualities: ['360p', '240p'],
      targetQuality: '360p',
      durationSec: 9,
      progress: 100,
      etaSec: null,
      encrypted: true,
    })
    expect(row.completedAt?.getTime()).toBeGreaterThanOrEqual(row.startedAt?.getTime() ?? Number.NaN)
    // Three segments of each rendition and of the sound, and five key frames.
    expect(await stored(row.id)).toHaveLength(14)
    url = masterPlaylistUrl(row.id, row.durationSec).url
    await stopWorker()
    expect(workFolders()).toEqual([])
  })

  it('plays to its end in every rendition with an independent client', async () => {
    const lines: string[] = []
    const output = await ffmpeg(['-i', url, '-map', '0', '-f', 'null', '-progress', 'pipe:1', '-'], {
      onLine: (line) => lines.push(line),
    })
    expect(output).toBe('')
    const playedSec = Math.max(...lines.map((line) => Number(/^out_time_us=(\d+)/.exec(line)?.[1] ?? 0))) / 1e6
    expect(playedSec).toBeGreaterThan(8.9)
  })

  it('is encrypted: segments decrypt only with the key of their rendition or track', async () => {
    const { entries: renditions, text } = await playlist(url)
    const audio = /TYPE=AUDIO.*URI="([^"]+)"/.exec(text)?.[1] as string
    const streams = await Promise.all([...renditions, new URL(audio, url).href].map((one) => playlist(one)))
    const bytesOf = async (address: string) => Buffer.from(await (await fetch(address)).arrayBuffer())
    const keys = await Promise.all(streams.map(({ key = '' }) => bytesOf(key)))
    expect(keys.map(({ length }) => length)).toEqual([16, 16, 16])
    const isPlain = (body: Buffer) => [0, 188, 376].every((at) => body[at] === 0x47)
    const opens = (body: Buffer, key: Buffer, sequence: number) => {
      try {
        return isPlain(decryptSegment(body, key, sequence))
      } catch {
        return false
      }
    }
    for (const [own, { entries }] of streams.entries())
      for (const [sequence, segment] of entries.entries()) {
        const body = await bytesOf(segment)
        expect(isPlain(body)).toBe(false)
        expect(keys.map((key) => opens(body, key, sequence))).toEqual(keys.map((_key, at) => at === own))
      }
  })

  it('has key frames at equal times in every rendition', async () => {
    const { entries } = await playlist(url)
    const durations = await Promise.all(entries.map(async (entry) => (await playlist(entry)).text.match(/#EXTINF:[\d.]+/g)))
    expect(durations[0]).toEqual(['#EXTINF:4.000000', '#EXTINF:4.000000', '#EXTINF:1.000000'])
    expect(durations[1]).toEqual(durations[0])
  })
})

describe('a worker', () => {
  it('returns its task when it stops, stops when the video is deleted, and completes it once restored', { tags: ['deep'] }, async () => {
    provide({ TRANSCODE_THREADS: '1' })
    await startWorker()
    const id = await pendingVideo(ctx, await longClip())
    await until(id, (row) => expect(row.progress).toBeGreaterThan(0))
    await stopWorker()
    expect(await video(id)).toMatchObject({ status: 'PROCESSING', attempts: 1, progress: 0, etaSec: null })
    expect(workFolders()).toEqual([])
    // A stopped attempt leaves its segments to the next one, which may not come as far.
    const left = await stored(id)
    await startWorker()
    await until(id, (row) => expect(row.progress).toBeGreaterThan(0))
    await removeVideo(ctx, { videoId: id })
    await vi.waitFor(() => expect(workFolders()).toEqual([]))
    expect((await video(id)).status).toBe('PROCESSING')
    await vi.waitFor(async () => expect((await stored(id)).filter((key) => !left.includes(key))).toEqual([]))
    await restoreVideo(ctx, { videoId: id })
    expect((await completed(id)).attempts).toBe(1)
    await stopWorker()
    provide({ TRANSCODE_THREADS: '' })
  })
})

describe('an attempt', () => {
  const payload = (videoId: string) => ({ accountId: ctx.accountId, videoId })

  it('takes over from a killed worker, whose later writes change nothing', async () => {
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    const dead = await leaseOf(payload(id))
    if (!dead) throw new Error('no lease')
    await transcodeVideo(payload(id), never)
    expect(await video(id)).toMatchObject({ status: 'COMPLETED', attempts: 2, qualities: ['240p'] })
    expect(await recordProgress(dead, 0.05)).toBe(false)
    // A second job for the same video has nothing to do.
    await transcodeVideo(payload(id), never)
    expect((await video(id)).attempts).toBe(2)
  })

  it('from before a retry holds no lease any more, though attempts are counted from 1 again', { tags: ['deep'] }, async () => {
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    const hung = await leaseOf(payload(id))
    if (!hung) throw new Error('no lease')
    expect(await fail(hung, 'Another worker failed it.')).toBe(true)
    await retryVideo(ctx, { videoId: id })
    const fresh = await leaseOf(payload(id))
    expect([fresh?.attempt, fresh?.leaseId]).toEqual([hung.attempt, expect.not.toSatisfy((id) => id === hung.leaseId)])
    const nothing = {
      damage: [],
      rateFactors: null,
      h264Preset: null,
      renditions: [],
      audio: [],
      iframes: [],
      captions: [],
      closedCaptions: [],
      sourceHash: Buffer.alloc(32),
      pictures: { poster: null, candidates: [], storyboard: null, bytes: 0 },
    }
    expect(await recordProgress(hung, 0.99)).toBe(false)
    expect(await fail(hung, 'Late words.')).toBe(false)
    expect(await complete(hung, nothing)).toBe(false)
    await release(hung, 'failed')
    expect(await video(id)).toMatchObject({ status: 'PROCESSING', attempts: 1, progress: 0, failureReason: null })
    await transcodeVideo(payload(id), never)
    expect(await video(id)).toMatchObject({ status: 'COMPLETED', attempts: 2 })
  })

  it('removes what an earlier one had stored', { tags: ['deep'] }, async () => {
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    await storage().put(`${segmentPrefix(id)}${'0'.repeat(32)}.ts`, Buffer.from('left over'))
    await transcodeVideo(payload(id), never)
    // Three of the picture, three of the sound, five key frames.
    expect(await stored(id)).toHaveLength(11)
    expect(await stored(id)).not.toContain(`${segmentPrefix(id)}${'0'.repeat(32)}.ts`)
  })

  it('fails the video with a reason after three killed workers', async () => {
    const id = await pendingVideo(ctx, await shortClip())
    for (let died = 0; died < 3; died++) await leaseOf(payload(id))
    await transcodeVideo(payload(id), never)
    const row = await video(id)
    expect(row.status).toBe('FAILED')
    expect(row.failureReason).toMatch(/^The transcoder failed three times/)
  })

  it('that meets a fault of the service is repeated twice, then fails the video with a reason', { tags: ['deep'] }, async () => {
    const id = await pendingVideo(ctx, await shortClip())
    // A file in place of the segments' folder: no segment can be stored, whatever the source.
    const obstacle = segmentPrefix(id).slice(0, -1)
    await storage().put(obstacle, Buffer.from('in the way'))
    for (const failures of [1, 2]) {
      await expect(transcodeVideo(payload(id), never)).rejects.toThrow('ENOTDIR')
      expect(await db().transcodeTask.findFirst({ where: { mediaId: id, kind: 'video' } })).toMatchObject({ failures, leasedUntil: null })
    }
    await transcodeVideo(payload(id), never)
    await storage().delete(obstacle)
    const row = await video(id)
    expect(row.status).toBe('FAILED')
    expect(row.failureReason).toMatch(/an internal error/)
  })

  it('fails the video of a truncated source and states the readable length', async () => {
    const whole = await makeMediaFile('whole.mp4', sampleClipArguments({ seconds: 10, width: 320, height: 180, rate: 25 }))
    const cut = join(dataDir, 'cut.mp4')
    await copyFile(whole, cut)
    await truncate(cut, Math.floor((await stat(whole)).size / 2))
    const id = await pendingVideo(ctx, cut)
    await transcodeVideo(payload(id), never)
    const row = await video(id)
    expect(row.status).toBe('FAILED')
    expect(row.failureReason).toMatch(/^The video file is incomplete: only 0:0\d of 0:10 could be read\./)
    expect(await stored(id)).toEqual([])
  })
})
