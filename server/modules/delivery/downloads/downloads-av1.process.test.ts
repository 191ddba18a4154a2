import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { ffmpeg, ffprobe } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { storeVideo } from '../../../testing/media/stored-video.ts'
import { said } from '../../../testing/video-calls.ts'
import { prepareDownload } from './prepare-download.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const signal = new AbortController().signal
const folder = mkdtempSync(join(tmpdir(), 'reelgate-downloads-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SECONDS = 6
const RATE = 25
const TRACKS = [
  { name: 'English', language: 'en', pitch: 440 },
  { name: 'Deutsch', language: 'de', pitch: 880 },
]

let owner: AccountCtx
let key: string
let videoId: string
beforeAll(async () => {
  await startQueue(JOBS)
  owner = await makeAccount()
  key = (await makeKey(owner, { scopes: ['video:read', 'video:write'] })).value
  await db().account.update({ where: { id: owner.accountId }, data: { downloads: true } })
  videoId = (await storeVideo(owner, { seconds: SECONDS, rate: RATE, captions: true, tracks: TRACKS, av1: 'PQ' })).id
  await db().video.update({ where: { id: videoId }, data: { title: 'Lesson 4' } })
  return stopQueue
})

const headers = () => ({ 'x-service-key': key, 'content-type': 'application/json' })
async function ask(body: object) {
  return said(await send(`${baseUrl}/v1/video/${videoId}/download`, { method: 'POST', headers: headers(), body: JSON.stringify(body) }))
}
const AV1 = { quality: '240p', codec: 'av1' } as const

/** Runs the jobs that requests enqueued, with their payloads as stored. */
async function runJobs(): Promise<void> {
  const found = await query<{ data: Parameters<typeof prepareDownload>[0] }>(
    'test-download-jobs',
    `DELETE FROM pgboss.job WHERE name = 'download.prepare' AND data ->> 'videoId' = $1 RETURNING data`,
    [videoId],
  )
  for (const { data } of found) await prepareDownload(data, signal)
}

/** Saves the file that a request is answered with, and returns its streams and the first time of each. */
async function saved(body: object, name: string) {
  const path = join(folder, name)
  const { data } = await ask(body)
  writeFileSync(path, Buffer.from(await (await fetch(data?.url as string)).arrayBuffer()))
  const { found } = await ffprobe(path)
  type Stream = { codec_name: string; height?: number; nb_frames: string; start_time: string; color_transfer?: string; pix_fmt?: string }
  return { path, streams: (found as { streams: Stream[] }).streams, filename: data?.filename }
}

it('has the pictures of AV1, the sound of the video and its captions', async () => {
  expect(await ask(AV1)).toMatchObject({ status: 200, data: { status: 'preparing', filename: 'Lesson 4 (240p, AV1).mp4' } })
  await ask({ quality: '240p' })
  await runJobs()
  const [av1, h264] = [await saved(AV1, 'av1.mp4'), await saved({ quality: '240p' }, 'h264.mp4')]
  expect([av1.filename, h264.filename]).toEqual(['Lesson 4 (240p, AV1).mp4', 'Lesson 4 (240p).mp4'])
  expect(av1.streams.map(({ codec_name }) => codec_name)).toEqual(['av1', 'aac', 'aac', 'mov_text'])
  expect(h264.streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac', 'aac', 'mov_text'])
  expect(av1.streams[0]).toMatchObject({
    ...{ height: 240, nb_frames: String(SECONDS * RATE), color_transfer: 'smpte2084', pix_fmt: 'yuv420p10le' },
  })
  // Picture and sound begin together, as they do in H.264.
  const [picture, sound] = av1.streams.map(({ start_time }) => Number(start_time)) as [number, number]
  expect(Math.abs(picture - sound)).toBeLessThan(0.05)
  const complaints = await ffmpeg(['-v', 'error', '-i', av1.path, '-f', 'null', '-'], { only: { reads: [av1.path], writes: [] } })
  expect(complaints).toBe('')
})

it('is listed and counted apart from that of H.264', async () => {
  const response = await send(`${baseUrl}/v1/video/${videoId}?expand=downloads`, { headers: headers() })
  const { data } = await said(response)
  const row = (quality: string, codec: string) => ({ quality, codec, count: 1, lastRequestedAt: expect.any(String) })
  expect(data?.downloads).toEqual({ total: 2, files: [row('240p', 'h264'), row('240p', 'av1')] })
})

it('is refused for a video without it, and never named for the original', async () => {
  await db().rendition.deleteMany({ where: { mediaId: videoId, codec: 'av1' } })
  const problem = async (body: object) => {
    const { status, details } = await said(
      await send(`${baseUrl}/v1/video/${videoId}/download`, { method: 'POST', headers: headers(), body: JSON.stringify(body) }),
    )
    return [status, (details as { path: string }[])[0]?.path]
  }
  expect(await problem(AV1)).toEqual([400, 'codec'])
  expect(await problem({ codec: 'av1' })).toEqual([400, 'quality'])
  expect(await problem({ quality: '240p', codec: 'vp9' })).toEqual([400, 'codec'])
  expect((await ask({ quality: '240p' })).data?.status).toBe('ready')
})
