import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { JOBS } from '../jobs.ts'
import { createDownload } from '../modules/delivery/downloads/create-download.ts'
import { openContentKey, streamKey } from '../modules/transcoding/encode/content-key.ts'
import { encryptSegment } from '../modules/transcoding/encode/segment-store.ts'
import { readPlainSegment } from '../modules/transcoding/encode/stored-segments.ts'
import { downloadPrefix, segmentKey } from '../modules/videos/media-keys.ts'
import { db } from '../platform/database/database.ts'
import { ffprobe } from '../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount } from '../testing/make.ts'
import { rounds } from '../testing/media/rounds.ts'
import { storeVideo } from '../testing/media/stored-video.ts'
import { startWebProcess } from '../testing/services/web-process.ts'
import { startWorkerProcess } from '../testing/services/worker-process.ts'
import { provide } from '../testing/settings.ts'

const { dataDir } = await testDatabase()
const settings = { STORAGE_RESERVE_BYTES: '0' }
provide(settings)
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

const MB = 1024 ** 2
/** Bytes of the segments that the MP4 is made from. */
const BYTES = rounds(160, 1_024) * MB
/** Bytes by which the memory of a process may grow: a buffer of the file would be larger. */
const GROWTH = 96 * MB

/** Stores a video whose rendition repeats its segments until they have `BYTES`. */
async function storeLarge(owner: AccountCtx): Promise<string> {
  const { id } = await storeVideo(owner, { seconds: 2, rate: 25 }, { renditions: 1 })
  const { contentKey } = await db().media.findUniqueOrThrow({ where: { id }, select: { contentKey: true } })
  const { segments, quality } = await db().rendition.findFirstOrThrow({ where: { mediaId: id }, select: { segments: true, quality: true } })
  const [[name, sec] = ['', 0]] = segments as [string, number][]
  const key = openContentKey(contentKey as Uint8Array as Buffer, id)
  const plain = await readPlainSegment({ mediaId: id, contentKey: key, stream: quality }, name, 0)
  const repeated: [string, number][] = []
  for (let at = 0; at * plain.length < BYTES; at++) {
    const one = encryptSegment(plain, streamKey(key, quality), at)
    await storage().put(segmentKey(id, one.name), one.body)
    repeated.push([one.name, sec])
  }
  await db().rendition.updateMany({ where: { mediaId: id }, data: { segments: repeated, bytes: BigInt(repeated.length * plain.length) } })
  return id
}

const memory = (pid: number, name: 'VmHWM' | 'VmRSS') => {
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}
/** Resets the peak of a process; returns what its memory was. */
function watch(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return memory(pid, 'VmRSS')
}

it('a killed worker leaves nothing of an MP4, which the next one makes in flat memory', async () => {
  const owner = await makeAccount()
  await db().account.update({ where: { id: owner.accountId }, data: { downloads: true } })
  const videoId = await storeLarge(owner)
  const work = join(dataDir, 'work')
  const folders = () => (existsSync(work) ? readdirSync(work).filter((name) => name.startsWith('download.')) : [])
  const objects = async () => {
    const found: string[] = []
    for await (const key of storage().list(downloadPrefix(videoId))) found.push(key)
    return found
  }
  const ask = () => createDownload(owner, { videoId, quality: '240p' })

  const first = await startWorkerProcess('worker', settings)
  expect((await ask()).status).toBe('preparing')
  // ffmpeg writes its output.
  while (!folders().some((name) => existsSync(join(work, name, 'made.mp4')))) await wait(5)
  await first.kill()
  expect(await objects()).toEqual([])
  const before = folders()
  expect(before).toHaveLength(1)

  const second = await startWorkerProcess('worker', settings)
  // Its own start also needs memory, which is not that of the file.
  const begins = () => folders().some((name) => !before.includes(name) && existsSync(join(work, name, 'made.mp4')))
  while (!begins() && (await objects()).length === 0) await wait(5)
  const idle = watch(second.pid)
  await vi.waitFor(async () => expect((await ask()).status).toBe('ready'), { timeout: 180_000, interval: 500 })
  const made = memory(second.pid, 'VmHWM') - idle
  await second.kill()
  expect(folders()).toEqual([])
  expect(await objects()).toHaveLength(1)

  const web = await startWebProcess({ settings })
  const { url, sizeBytes } = await ask()
  expect(sizeBytes).toBeGreaterThan(BYTES / 2)
  const served = watch(web.pid)
  let received = 0
  const response = await fetch(new URL(new URL(url as string).pathname, web.url))
  for await (const part of response.body as AsyncIterable<Uint8Array>) received += part.length
  const growth = memory(web.pid, 'VmHWM') - served
  console.info(`An MP4 of ${Math.round(received / MB)} MB: memory grew by ${Math.round(made / MB)} MB and ${Math.round(growth / MB)} MB`)
  expect(received).toBe(sizeBytes)
  expect(made).toBeLessThan(GROWTH)
  expect(growth).toBeLessThan(GROWTH)

  const [key = ''] = await objects()
  const { found } = await ffprobe(join(dataDir, 'media', key))
  expect((found as { streams: { codec_name: string }[] }).streams.map(({ codec_name }) => codec_name)).toEqual(['h264'])
})
