import { randomBytes } from 'node:crypto'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { contentName } from '../transcoding/encode/segment-store.ts'
import { putCaptions } from '../videos/captions/captions.ts'
import { saveDraft } from '../videos/captions/drafts.ts'
import { extraKey, pictureKey, segmentKey, sourceKey } from '../videos/media-keys.ts'
import { mediaOrphans } from './media-orphans.ts'
import { usageByAccount, usageByKind } from './media-usage.ts'

const { dataDir } = await testDatabase()
const HOUR_MS = 3_600_000
const signal = new AbortController().signal
let ctx: AccountCtx
beforeEach(async () => {
  await db().video.deleteMany()
  for (const prefix of ['sources/', 'segments/', 'pictures/', 'extras/', 'downloads/', 'uploads/']) await storage().deletePrefix(prefix)
  ctx = await makeAccount()
})

async function video(fields: Parameters<typeof makeVideo>[1] = {}) {
  const [segment, picture, extra] = [randomBytes(100), randomBytes(50), randomBytes(20)]
  const names = [segment, picture, extra].map(contentName) as [string, string, string]
  const id = await makeVideo(ctx, { posterCandidates: [names[1]], pictureBytes: 50n, sourceBytes: 300n, ...fields })
  const rung = { quality: '240p', width: 426, height: 240, bandwidth: 1, averageBandwidth: 1, codecs: 'avc1', frameRate: 30, bytes: 100n }
  await db().rendition.create({ data: { mediaId: id, ...rung, segments: [[names[0], 4]] } })
  await db().caption.create({ data: { videoId: id, name: names[2], cues: 1, bytes: 20, language: 'en', label: 'English' } })
  await storage().put(segmentKey(id, names[0]), segment)
  await storage().put(pictureKey(id, names[1]), picture)
  await storage().put(extraKey(id, names[2]), extra)
  await storage().put(sourceKey(id), randomBytes(300))
  return id
}

/** Makes every stored object so many hours old. */
async function age(hours: number): Promise<void> {
  const at = new Date(Date.now() - hours * HOUR_MS)
  for (const entry of await readdir(join(dataDir, 'media'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), at, at)
}

async function orphans(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of mediaOrphans({ graceMs: 48 * HOUR_MS, signal })) keys.push(key)
  return keys.sort()
}

it('lists what no row names, and nothing that is young or that a worker may still name', async () => {
  const id = await video({ completedAt: new Date(0) })
  const encoding = await makeVideo(ctx, { status: 'PROCESSING', qualities: [] })
  const repaired = await video({ completedAt: new Date(0) })
  await db().videoLog.create({ data: { videoId: repaired, step: 'store', message: 'Repaired.' } })
  const name = 'a'.repeat(32)
  const unnamed = [segmentKey(id, name), pictureKey(id, name), extraKey(id, name), segmentKey('vid_gone', name), sourceKey('vid_gone')]
  for (const key of [...unnamed, segmentKey(encoding, name), segmentKey(repaired, name), 'uploads/0123/1000001'])
    await storage().put(key, Buffer.from('x'))
  expect(await orphans()).toEqual([])
  await age(49)
  await storage().put(segmentKey(id, 'b'.repeat(32)), Buffer.from('young'))
  expect(await orphans()).toEqual([...unnamed, 'uploads/0123/1000001'].sort())
})

it('knows versions and drafts of captions', async () => {
  const id = await video({ completedAt: new Date(0) })
  const put = (text: string) =>
    putCaptions(ctx, { videoId: id, language: 'de', label: '', text: `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}` })
  await put('One')
  await put('Other')
  await saveDraft(ctx, { videoId: id, language: 'de', text: 'WEBVTT', revision: 0, basedOn: null })
  await age(49)
  expect(await orphans()).toEqual([])
  const [extras] = (await usageByKind()).filter(({ kind }) => kind === 'extras')
  expect([extras?.stored.objects, extras?.stored.bytes]).toEqual([4, extras?.counted])
})

it('keeps the original and the pieces of an unfinished upload', async () => {
  const metadata = { videoId: 'vid_unfinished' }
  await db().multipartUpload.create({ data: { id: 'up_1', accountId: ctx.accountId, storeId: 's', metadata } })
  await storage().put('uploads/up_1/1000001', Buffer.from('x'))
  await storage().put(sourceKey('vid_unfinished'), Buffer.from('x'))
  await age(49)
  expect(await orphans()).toEqual([])
  await db().multipartUpload.deleteMany()
  expect(await orphans()).toEqual([sourceKey('vid_unfinished'), 'uploads/up_1/1000001'].sort())
})

it('compares what is stored with what the database counts, by kind and by account', async () => {
  const id = await video()
  await video()
  await storage().put(segmentKey(id, 'a'.repeat(32)), Buffer.alloc(7))
  expect(await usageByKind()).toEqual([
    { kind: 'sources', stored: { objects: 2, bytes: 600 }, counted: 600 },
    { kind: 'segments', stored: { objects: 3, bytes: 207 }, counted: 200 },
    { kind: 'pictures', stored: { objects: 2, bytes: 100 }, counted: 100 },
    { kind: 'extras', stored: { objects: 2, bytes: 40 }, counted: 40 },
    { kind: 'downloads', stored: { objects: 0, bytes: 0 }, counted: 0 },
    { kind: 'uploads', stored: { objects: 0, bytes: 0 }, counted: 0 },
  ])
  expect((await usageByAccount(1))[0]).toMatchObject({ accountId: ctx.accountId, videos: 2, bytes: 940 })
})
