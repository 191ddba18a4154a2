import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../server/context.ts'
import { JOBS } from '../../server/jobs.ts'
import { referencedMedia } from '../../server/modules/backups/media-list.ts'
import { playSegments } from '../../server/modules/backups/play-segments.ts'
import { masterPlaylistUrl } from '../../server/modules/delivery/sessions/media-permit.ts'
import { mediaOrphans } from '../../server/modules/media/media-orphans.ts'
import { previewMove } from '../../server/modules/media/move-media.ts'
import { removeFormerMedia } from '../../server/modules/media/remove-former-media.ts'
import { scrubMedia } from '../../server/modules/media/scrub.ts'
import { repairMedia } from '../../server/modules/transcoding/repair.ts'
import { recordFault } from '../../server/modules/videos/media-faults.ts'
import { segmentKey, sourceKey } from '../../server/modules/videos/media-keys.ts'
import { purgeVideos } from '../../server/modules/videos/remove.ts'
import { takeDown } from '../../server/modules/videos/take-down.ts'
import { db, pool } from '../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../server/platform/job-queue.ts'
import { storage } from '../../server/platform/storage/storage.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { shortClip } from '../../server/testing/media/media-files.ts'
import { otherClip, replacer, storedUnder } from '../../server/testing/media/replacing.ts'
import { transcodedVideo } from '../../server/testing/media/transcoded.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const signal = new AbortController().signal
let account: AccountCtx

beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

/** Returns the id of a video whose source was replaced, the id of its media, and its first segment. */
async function replacedVideo({ encrypted = true } = {}) {
  const caller = await replacer(baseUrl)
  account = caller.ctx
  const id = await transcodedVideo(caller.ctx, await shortClip(), { targetQuality: '360p', encrypted })
  const formerSegment = await firstSegment(id)
  await caller.sent(id, await otherClip())
  const [mediaId = ''] = await caller.pending(id)
  await caller.transcode(mediaId)
  return { id, mediaId, segment: await firstSegment(id), formerSegment }
}

async function firstSegment(videoId: string): Promise<string> {
  const { segments } = await db().rendition.findFirstOrThrow({ where: { media: { playing: { id: videoId } } } })
  return (segments as [string, number][])[0]?.[0] ?? ''
}

async function orphans(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of mediaOrphans({ graceMs: -60_000, signal })) keys.push(key)
  return keys
}

it('a damaged segment of a replaced source, and of the former one, is found and repaired', async () => {
  const { id, mediaId, segment, formerSegment } = await replacedVideo()
  expect((await scrubMedia({ signal })).faults).toEqual([])
  for (const [key, damaged] of [
    [segmentKey(mediaId, segment), mediaId],
    [segmentKey(id, formerSegment), id],
  ] as const) {
    const body = await storage().stat(key)
    await storage().put(key, Buffer.alloc(body?.bytes ?? 0))
    // As it is reported by who serves it, who knows the key alone.
    await recordFault({ key, kind: 'changed' }, { repair: true })
    expect((await db().mediaFault.findUniqueOrThrow({ where: { key } })).mediaId).toBe(damaged)
    await repairMedia(damaged, signal)
    expect(await db().mediaFault.count()).toBe(0)
    expect((await scrubMedia({ signal })).faults).toEqual([])
  }
})

it('a backup lists both sets, and its drill plays them', async () => {
  const { id, mediaId, segment, formerSegment } = await replacedVideo()
  const client = await pool().connect()
  const listed = new Map<string, string[]>()
  for await (const { id: one, named } of referencedMedia(client))
    listed.set(
      one,
      [...named.values()].flatMap((keys) => [...keys.keys()]),
    )
  client.release()
  expect(listed.get(mediaId)).toContain(segmentKey(mediaId, segment))
  expect(listed.get(id)).toContain(segmentKey(id, formerSegment))
  const sample = [
    { videoId: id, mediaId, name: segment },
    { videoId: id, mediaId: id, name: formerSegment },
  ]
  expect(await playSegments(sample, signal)).toEqual([])
})

it('no object of either set is an orphan, and objects that no row names are', async () => {
  const { id, mediaId } = await replacedVideo()
  await db().media.updateMany({ data: { completedAt: new Date(0) } })
  await db().videoLog.deleteMany()
  const own = [...(await storedUnder(id)), ...(await storedUnder(mediaId))]
  const unnamed = [segmentKey(id, '0'.repeat(32)), segmentKey(mediaId, '1'.repeat(32))]
  for (const key of unnamed) await storage().put(key, Buffer.from('x'))
  const found = await orphans()
  expect(found.filter((key) => own.includes(key))).toEqual([])
  expect(found.filter((key) => key.includes(id) || key.includes(mediaId)).sort()).toEqual(unnamed.sort())
})

it('a move of the media counts that of a replaced source, with and without the former one', async () => {
  const { id, mediaId } = await replacedVideo()
  const ids = async () => {
    const rows = await db().video.findMany({ select: { id: true, mediaId: true } })
    return new Set(rows.flatMap((row) => [row.id, ...(row.mediaId ? [row.mediaId] : [])]))
  }
  const target = `file://${await mkdtemp(join(tmpdir(), 'moved-'))}`
  const expected = async () => (await Promise.all([...(await ids())].map(storedUnder))).flat().length
  expect((await previewMove(target)).objects).toBe(await expected())
  await db().media.updateMany({ where: { videoId: id, keptUntil: { not: null } }, data: { keptUntil: new Date(0) } })
  await removeFormerMedia()
  expect([...(await ids())]).toContain(mediaId)
  expect((await previewMove(target)).objects).toBe(await expected())
})

it('a take-down refuses the segments of both sets and keeps them', async () => {
  const { id, mediaId, segment, formerSegment } = await replacedVideo({ encrypted: false })
  const addresses = [`${mediaId}/${segment}`, `${id}/${formerSegment}`].map((path) => `${baseUrl}/cdn/segments/${path}.ts`)
  for (const address of addresses) expect((await fetch(address)).status).toBe(200)
  await takeDown({ ...account, actor: { kind: 'operator' } }, { videoId: id, reason: 'Test' })
  for (const address of addresses) await expect.poll(async () => (await fetch(address)).status).toBe(404)
  expect((await fetch(masterPlaylistUrl(id, 9).url.replace('master', '360p'))).status).toBe(404)
  await db().media.updateMany({ where: { videoId: id, keptUntil: { not: null } }, data: { keptUntil: new Date(0) } })
  expect(await removeFormerMedia()).toBe(0)
  await db().video.update({ where: { id }, data: { deletedAt: new Date(0) } })
  expect(await purgeVideos()).toBe(0)
  expect(await storage().stat(segmentKey(id, formerSegment))).toBeDefined()
  expect(await storage().stat(sourceKey(mediaId))).toBeDefined()
})
