import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { newLease, takeLease } from '../../platform/leases.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { expectLoggedErrors, logLines } from '../../testing/logs.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { REPAIR, repairDue } from '../transcoding/repair.ts'
import { putCaptions } from '../videos/captions/captions.ts'
import { saveDraft } from '../videos/captions/drafts.ts'
import { storePicture } from '../videos/extras.ts'
import { type MediaFault, recordFault } from '../videos/media-faults.ts'
import { extraKey, pictureKey, segmentKey, sourceKey } from '../videos/media-keys.ts'
import { scrubDue } from './scheduled-scrub.ts'
import { paceOf, type StoredMedia, scrubMedia, scrubOne, storedMedia } from './scrub.ts'

const { dataDir } = await testDatabase()
expectLoggedErrors(/could not repair|is damaged; requested its repair/)
const signal = new AbortController().signal
const rung = { quality: '240p', width: 426, height: 240, bandwidth: 1, averageBandwidth: 1, codecs: 'avc1', frameRate: 30, bytes: 3_000n }
beforeEach(() => db().video.deleteMany())

async function videoWithMedia(ctx?: AccountCtx) {
  const id = await makeVideo(ctx ?? (await makeAccount()), { posterCandidates: [], qualities: ['240p'] })
  const segments: [string, number][] = []
  for (let at = 0; at < 3; at++) {
    const body = randomBytes(1_000)
    const name = createHash('sha256').update(body).digest('hex').slice(0, 32)
    await storage().put(segmentKey(id, name), body)
    segments.push([name, 4])
  }
  await db().rendition.create({ data: { mediaId: id, ...rung, segments } })
  const picture = await storePicture(id, randomBytes(500))
  const source = randomBytes(2_000)
  await storage().put(sourceKey(id), source)
  const sourceHash = createHash('sha256').update(source).digest()
  await db().media.update({ where: { id }, data: { posterCandidates: [picture], sourceBytes: 2_000n, sourceHash } })
  return { id, segments: segments.map(([name]) => segmentKey(id, name)), picture: pictureKey(id, picture), source: sourceKey(id) }
}

async function flip(key: string): Promise<void> {
  const path = join(dataDir, 'media', key)
  const body = await readFile(path)
  body[500] = (body[500] as number) ^ 1
  await writeFile(path, body)
}
const byKey = (a: MediaFault, b: MediaFault) => a.key.localeCompare(b.key)

it('finds one flipped bit, missing objects, and a changed original', async () => {
  const sound = await videoWithMedia()
  const broken = await videoWithMedia()
  expect(await scrubMedia({ signal })).toEqual({ media: 2, objects: 10, bytes: 11_000, faults: [] })
  const [flipped = '', gone = ''] = broken.segments
  await flip(flipped)
  await flip(broken.source)
  await storage().delete(gone)
  await storage().delete(broken.picture)
  const reports: string[] = []
  const { faults } = await scrubMedia({ signal }, async ({ faults: found }) => void reports.push(...found.map(({ key }) => key)))
  expect(reports).toEqual(faults.map(({ key }) => key))
  expect(faults.sort(byKey)).toEqual(
    [
      { mediaId: broken.id, key: flipped, kind: 'changed' as const },
      { mediaId: broken.id, key: gone, kind: 'missing' as const },
      { mediaId: broken.id, key: broken.picture, kind: 'missing' as const },
      { mediaId: broken.id, key: broken.source, kind: 'changed' as const },
    ].sort(byKey),
  )
  expect((await scrubMedia({ videoId: sound.id, signal })).faults).toEqual([])
})

it('finds an object in a bad sector, and goes on with the others', async () => {
  const { id, segments } = await videoWithMedia()
  const store = storage()
  const { read } = store
  const bad = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
  const reading = vi.spyOn(store, 'read').mockImplementation(async function* (key, range) {
    if (key === segments[0]) throw bad
    yield* read(key, range)
  })
  onTestFinished(() => reading.mockRestore())
  const { objects, faults } = await scrubMedia({ signal })
  expect([objects, faults]).toEqual([5, [{ mediaId: id, key: segments[0], kind: 'changed' }]])
})

it('reads versions and drafts of captions, and misses none that a save has replaced since', async () => {
  const ctx = await makeAccount()
  const { id } = await videoWithMedia(ctx)
  const put = (text: string) =>
    putCaptions(ctx, { videoId: id, language: 'en', label: '', text: `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}` })
  const save = (text: string, revision: number) => saveDraft(ctx, { videoId: id, language: 'en', text, revision, basedOn: null })
  await put('One')
  await put('Other')
  const { revision } = await save('WEBVTT', 0)
  const [media] = (await storedMedia({ videoId: id })) as [StoredMedia]
  expect(await scrubOne(media, { signal })).toMatchObject({ objects: 8, faults: [] })
  await save('WEBVTT\n', revision)
  expect((await scrubOne(media, { signal })).faults).toEqual([])
  const { name } = await db().captionVersion.findFirstOrThrow()
  await storage().delete(extraKey(id, name))
  expect((await scrubOne(media, { signal })).faults).toEqual([{ mediaId: id, key: extraKey(id, name), kind: 'missing' }])
})

it('compares the size of an original whose hash is not known', async () => {
  const { id, source } = await videoWithMedia()
  await db().media.update({ where: { id }, data: { sourceHash: null } })
  expect((await scrubMedia({ signal })).faults).toEqual([])
  await storage().put(source, randomBytes(1_999))
  expect((await scrubMedia({ signal })).faults).toEqual([{ mediaId: id, key: source, kind: 'changed' }])
})

it('pauses a run that is ahead of its rate', async () => {
  const run = new AbortController()
  const pace = paceOf(1_000, run.signal)
  expect(pace(1)).toBeUndefined()
  const pause = pace(1_000_000)
  run.abort(new Error('ended'))
  await expect(pause).rejects.toThrow()
})

it('leaves a video whose original is damaged as it is, with the reason, until an operator requests another repair', async () => {
  const { id, segments, source } = await videoWithMedia()
  const [key = ''] = segments
  await flip(key)
  await flip(source)
  await recordFault({ key, kind: 'changed' }, { repair: true })
  await repairDue(signal)
  const fault = () => db().mediaFault.findUniqueOrThrow({ where: { key } })
  expect(await fault()).toMatchObject({ dueAt: null, attempts: 1, failure: expect.stringContaining('The original of') })
  expect(await db().mediaFault.count()).toBe(2)
  await recordFault({ key, kind: 'changed' }, { repair: true })
  expect((await fault()).dueAt).toBeNull()
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'COMPLETED' })
  await flip(key)
  await flip(source)
  await recordFault({ key, kind: 'changed' }, { repair: true, again: true })
  await repairDue(signal)
  expect(await db().mediaFault.count()).toBe(0)
})

it('leaves media to the worker that repairs it, with what is found meanwhile, until that one renews its lease no more', async () => {
  const { id, segments, source } = await videoWithMedia()
  const [first = '', second = ''] = segments
  for (const key of [first, second, source]) await flip(key)
  await recordFault({ key: first, kind: 'changed' }, { repair: true })
  const dead = newLease()
  expect(await takeLease(REPAIR, dead, [id])).toBe('taken')
  await recordFault({ key: second, kind: 'changed' }, { repair: true })
  const faults = () => db().mediaFault.findMany({ where: { key: { in: [first, second] } }, orderBy: { attempts: 'asc' } })
  await repairDue(signal)
  expect(await faults()).toMatchObject([
    { key: second, attempts: 0, leaseId: null },
    { key: first, attempts: 1, leaseId: dead, failure: null },
  ])
  await db().mediaFault.updateMany({ where: { leaseId: dead }, data: { leasedUntil: new Date(0) } })
  const lines = logLines()
  await repairDue(signal)
  // What it finds itself is no work for another repair.
  expect(lines.filter(({ msg }) => msg === 'could not repair the media of a video')).toHaveLength(1)
  const given = { leaseId: null, leasedUntil: null, dueAt: null, failure: expect.stringContaining('The original of') }
  expect(await faults()).toMatchObject([
    { key: second, attempts: 1, ...given },
    { key: first, attempts: 2, ...given },
  ])
})

it('the scheduled scrub reads each video once within its days, continues where it ended, and requests repairs', async () => {
  const videos = []
  for (let made = 0; made < 24; made++) videos.push(await videoWithMedia())
  const faulty = videos.map(({ segments: [key = ''] }) => key)
  for (const key of faulty) await flip(key)
  const found = () => db().mediaFault.count({ where: { dueAt: { not: null } } })
  await scrubDue(signal, 1)
  expect(await found()).toBe(1)
  for (let run = 2; run <= 24; run++) await scrubDue(signal, 1)
  expect(await found()).toBe(24)
  await db().mediaFault.deleteMany()
  await scrubDue(signal, 0)
  expect(await found()).toBe(0)
})
