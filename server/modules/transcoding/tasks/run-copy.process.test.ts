import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { numberedFrames } from '../../../testing/media/chunked.ts'
import { damageFile } from '../../../testing/media/damaged-file.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { leaseOf, transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { streamsOf } from '../../delivery/playlists/streams.ts'
import { scrubMedia } from '../../media/scrub.ts'
import { recordFault } from '../../videos/media-faults.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { planVideo, planWithoutCopy } from '../plan/plan-video.ts'
import { repairDue } from '../repair.ts'
import { leaseTask, type TranscodeLease } from './lease.ts'
import { runTask } from './run.ts'

const { dataDir } = await testDatabase()
const signal = new AbortController().signal
const SECONDS = 12
let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
})

/** Queues a video of 640×360 with a key frame every 3 s. `rate`: bits per second, constant. */
async function queued(rate: number): Promise<string> {
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-x264-params', 'nal-hrd=cbr:filler=1']
  const file = await makeMediaFile(`rate-${rate}.mp4`, [
    ...numberedFrames('10', SECONDS),
    ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`, '-c:a', 'aac'],
    ...['-vf', 'scale=640:360:flags=neighbor,setsar=1', ...x264],
    ...['-b:v', String(rate), '-minrate', String(rate), '-maxrate', String(rate), '-bufsize', String(rate / 4)],
  ])
  return pendingVideo(ctx, file)
}

/** Runs the next task of a video, and what the worker goes on with. */
async function runNext(videoId: string): Promise<void> {
  const lease = await leaseOf({ accountId: ctx.accountId, videoId })
  if (!lease) throw new Error('nothing is left to do')
  await runTask(lease, signal)
}

const find = (id: string) =>
  db().media.findUniqueOrThrow({ where: { id }, include: { renditions: { orderBy: { height: 'desc' } }, audio: true } })
const segmentsOf = (rendition: { segments: unknown } | undefined) => (rendition?.segments ?? []) as [string, number][]
const resultOf = async (videoId: string) =>
  (await db().transcodeTask.findUniqueOrThrow({ where: { mediaId_kind_position: { mediaId: videoId, kind: 'copy', position: 0 } } }))
    .result as {
    segments: [string, number, number][]
  }

it('plays the copy as soon as the sound begins, keeps it, and repairs it under its names', async () => {
  const id = await queued(600_000)
  await runNext(id)
  const { segments: copied } = await resultOf(id)
  expect(copied.map(([, seconds]) => seconds)).toEqual(new Array(SECONDS / 3).fill(3))
  expect((await find(id)).playableAt).toBeNull()
  const sound = await db().$transaction((tx) => leaseTask(tx, { mediaId: id, kind: 'audio', position: 0 }))
  await runTask(sound as TranscodeLease, signal)
  expect((await find(id)).playableAt).not.toBeNull()
  expect((await streamsOf(id)).renditions.map(({ quality, seconds }) => [quality, seconds])).toEqual([['360p', SECONDS]])
  expect(await db().transcodeTask.count({ where: { mediaId: id, kind: 'video', doneAt: { not: null } } })).toBe(0)
  await transcodeVideo({ accountId: ctx.accountId, videoId: id }, signal)
  const video = await find(id)
  expect(video).toMatchObject({ status: 'COMPLETED', qualities: ['360p', '240p'] })
  const [top, low] = video.renditions
  expect(segmentsOf(top).map(([name]) => name)).toEqual(copied.map(([name]) => name))
  expect(segmentsOf(low).map(([, seconds]) => seconds)).toEqual(copied.map(([, seconds]) => seconds))
  expect(video.storyboard).toMatchObject({ everySec: 2, count: SECONDS / 2 })

  const key = segmentKey(id, copied[2]?.[0] ?? '')
  await storage().delete(key)
  await recordFault({ key, kind: 'missing' }, { repair: true })
  await repairDue(signal)
  expect((await scrubMedia({ videoId: id, signal })).faults).toEqual([])
  expect(segmentsOf((await find(id)).renditions[0])).toEqual(segmentsOf(top))
})

it('lists a copy above the limit of its rendition until the video is complete, and keeps its objects', async () => {
  const id = await queued(1_000_000)
  const { accountId } = ctx
  await runNext(id)
  const { segments: copied } = await resultOf(id)
  await db().media.update({ where: { id }, data: { playableAt: new Date() } })
  const growing = await streamsOf(id)
  expect(growing.renditions.map(({ quality, seconds }) => [quality, seconds])).toEqual([['360p', SECONDS]])
  await transcodeVideo({ accountId, videoId: id }, signal)
  const { renditions, status } = await find(id)
  expect(status).toBe('COMPLETED')
  expect(renditions.map(({ quality }) => quality)).toEqual(['360p', '240p'])
  for (const rendition of renditions) expect(segmentsOf(rendition).map(([, sec]) => sec)).toEqual(copied.map(([, sec]) => sec))
  const names = new Set(segmentsOf(renditions[0]).map(([name]) => name))
  for (const [name] of copied) {
    expect(names.has(name)).toBe(false)
    expect(await storage().stat(segmentKey(id, name))).toBeDefined()
  }
  expect(renditions[0]?.bandwidth).toBeLessThan(1_000_000)
})

/** Transcodes a video whose copy does not stay, after its first task, and returns its log. */
async function completeWithout(id: string, copied: readonly string[]): Promise<string[]> {
  await transcodeVideo({ accountId: ctx.accountId, videoId: id }, signal)
  const video = await find(id)
  expect(video).toMatchObject({ status: 'COMPLETED', qualities: ['360p', '240p'] })
  for (const rendition of video.renditions) {
    expect(segmentsOf(rendition).map(([, sec]) => sec)).toEqual(new Array(SECONDS / 4).fill(4))
    expect(segmentsOf(rendition).filter(([name]) => copied.includes(name))).toEqual([])
  }
  for (const name of copied) expect(await storage().stat(segmentKey(id, name))).toBeUndefined()
  return (await db().videoLog.findMany({ where: { videoId: id } })).map(({ message }) => message)
}

/** Queues a standard file without sound of which 1.6 s are zeros, but for the first bytes of each packet. */
async function damaged(keep: number): Promise<string> {
  const x264 = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-g',
    '30',
    '-pix_fmt',
    'yuv420p',
    '-b:v',
    '400k',
    '-maxrate',
    '500k',
    '-bufsize',
    '500k',
  ]
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=10:duration=${SECONDS}`]
  const whole = await makeMediaFile('standard.mp4', [...picture, ...x264])
  return pendingVideo(ctx, await damageFile(whole, join(dataDir, `hole-${keep}.mp4`), { stream: 'v', from: 7.2, to: 8.8, keep }))
}

it('encodes the top rendition of a damaged file, whose packets players may not conceal', async () => {
  const id = await damaged(12)
  await runNext(id)
  const names = (await resultOf(id)).segments.map(([name]) => name)
  expect(names.length).toBe(SECONDS / 3)
  expect(await completeWithout(id, names)).toContain('Part of the file is damaged. We encode the highest quality instead of copying it.')
})

it('keeps the chunks that encode every rendition anyway when the packets cannot be copied', async () => {
  const id = await queued(1_000_000)
  const { accountId } = ctx
  const planning = await leaseOf({ accountId, videoId: id })
  const copy = planning && (await planVideo(planning, { work: dataDir, written: new Set(), isLast: false, signal, onLost: () => {} }))
  expect([copy?.kind, copy?.plan?.copy?.kept]).toEqual(['copy', false])
  const chunk = await db().$transaction((tx) => leaseTask(tx, { mediaId: id, kind: 'video', position: 0 }))
  await runTask(chunk as TranscodeLease, signal)
  const taskOf = () =>
    db().transcodeTask.findUniqueOrThrow({ where: { mediaId_kind_position: { mediaId: id, kind: 'video', position: 0 } } })
  const encoded = await taskOf()
  expect(encoded.doneAt).not.toBeNull()
  await planWithoutCopy(copy as TranscodeLease, { source: '', reason: 'We could not copy the file.' }, { signal, onLost: () => {} })
  expect(await taskOf()).toEqual(encoded)
  const sound = await db().$transaction((tx) => leaseTask(tx, { mediaId: id, kind: 'audio', position: 0 }))
  await runTask(sound as TranscodeLease, signal)
  await transcodeVideo({ accountId, videoId: id }, signal)
  const video = await find(id)
  expect(video).toMatchObject({ status: 'COMPLETED', qualities: ['360p', '240p'] })
  const names = (encoded.result as { renditions: Record<string, { segments: [string][] }> }).renditions
  for (const rendition of video.renditions)
    expect(segmentsOf(rendition).map(([name]) => name)).toEqual(names[rendition.quality]?.segments.map(([name]) => name))
  expect(names['360p']?.segments).toHaveLength(SECONDS / 3)
  const key = segmentKey(id, names['360p']?.segments[1]?.[0] ?? '')
  await storage().delete(key)
  await recordFault({ key, kind: 'missing' }, { repair: true })
  await repairDue(signal)
  expect((await scrubMedia({ videoId: id, signal })).faults).toEqual([])
})

it('encodes the top rendition of a file whose packets cannot be copied', async () => {
  const id = await damaged(0)
  // Two attempts have failed.
  const planning = await leaseOf({ accountId: ctx.accountId, videoId: id })
  const copy = planning && (await planVideo(planning, { work: dataDir, written: new Set(), isLast: false, signal, onLost: () => {} }))
  expect(copy?.kind).toBe('copy')
  await db().transcodeTask.updateMany({ where: { mediaId: id, kind: 'copy' }, data: { failures: 2, leasedUntil: null } })
  expect(await completeWithout(id, [])).toContain('We could not copy the file. We encode the highest quality instead of copying it.')
})
