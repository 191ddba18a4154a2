import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { makeMediaFile } from '../../testing/media/media-files.ts'
import { withOneKey } from '../../testing/media/one-key.ts'
import { transcodeVideo } from '../../testing/media/transcode-video.ts'
import { provide } from '../../testing/settings.ts'
import { pendingVideo } from '../../testing/upload.ts'
import { scrubMedia } from '../media/scrub.ts'
import { recordFault } from '../videos/media-faults.ts'
import { pictureKey, segmentKey } from '../videos/media-keys.ts'
import { openContentKey } from './encode/content-key.ts'
import { makeIframes } from './pictures/iframes.ts'
import { sampleClipArguments } from './quality/sample-clip.ts'
import { repairDue } from './repair.ts'

const { dataDir } = await testDatabase()
const signal = new AbortController().signal
let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
})

const clip = () => makeMediaFile('repaired.mp4', sampleClipArguments({ seconds: 6, width: 426, height: 360, rate: 5 }))

async function transcoded() {
  const id = await pendingVideo(ctx, await clip())
  await transcodeVideo({ accountId: ctx.accountId, videoId: id }, signal)
  return { id, ...(await state(id)) }
}

async function state(id: string) {
  const video = await db().media.findUniqueOrThrow({
    where: { id },
    include: { renditions: { orderBy: { height: 'desc' } }, iframes: true },
  })
  const keysOf = ({ segments }: { segments: unknown }) => (segments as [string, number][]).map(([name]) => segmentKey(id, name))
  return { video, segments: video.renditions.map(keysOf), iframes: video.iframes.flatMap(keysOf) }
}

async function damage(key: string): Promise<void> {
  const path = join(dataDir, 'media', key)
  const body = await readFile(path)
  body[300] = (body[300] as number) ^ 1
  await writeFile(path, body)
  await recordFault({ key, kind: 'changed' }, { repair: true })
}

it.each([
  ['a key for each stream', false],
  ['one key, as an early version gave it', true],
])('replaces damaged segments and pictures of media with %s under their names, from the original', async (_name, oneKey) => {
  const { id } = await transcoded()
  if (oneKey) await withOneKey(id)
  const { video, segments, iframes } = await state(id)
  const [top = [], low = []] = segments
  await damage(top[1] as string)
  await damage(iframes[1] as string)
  await storage().delete(low[0] as string)
  await storage().delete(pictureKey(id, video.posterCandidates[0] as string))
  await repairDue(signal)
  expect((await scrubMedia({ videoId: id, signal })).faults).toEqual([])
  expect(await db().mediaFault.count()).toBe(0)
  const after = await state(id)
  expect(after.segments).toEqual(segments)
  expect(after.video).toEqual(video)
  const log = await db().videoLog.findMany({ where: { videoId: id }, orderBy: { id: 'asc' } })
  expect(log.at(-1)?.message).toBe('Repaired 4 damaged files by re-encoding the original.')
})

it('replaces the list of a rendition where encoding yields other bytes, keeps its key, and keeps what viewers have loaded', async () => {
  const { id, video, segments } = await transcoded()
  const [top = [], low = []] = segments
  provide({ TRANSCODE_THREADS: '3' })
  await damage(top[0] as string)
  await repairDue(signal)
  expect((await scrubMedia({ videoId: id, signal })).faults).toEqual([])
  const after = await state(id)
  expect(after.video.contentKey).toEqual(video.contentKey)
  expect(after.segments[0]).not.toEqual(top)
  expect(after.segments[0]).toHaveLength(top.length)
  expect(after.segments[1]).toEqual(low)
  expect(await storage().stat(top[1] as string)).toBeDefined()
})

it('cuts the key frames again of a rendition whose list is replaced', async () => {
  const { id, segments, iframes } = await transcoded()
  provide({ TRANSCODE_THREADS: '1' })
  await damage(segments[1]?.[0] as string)
  await repairDue(signal)
  expect((await scrubMedia({ videoId: id, signal })).faults).toEqual([])
  const after = await state(id)
  expect(after.segments[1]).not.toEqual(segments[1])
  expect(after.iframes).not.toEqual(iframes)
  expect(after.iframes).toHaveLength(iframes.length)
  const contentKey = after.video.contentKey && openContentKey(after.video.contentKey, id)
  const rendition = after.video.renditions[1]
  if (!contentKey || !rendition) throw new Error('the video has no lower rendition')
  const cut = await makeIframes({
    mediaId: id,
    contentKey,
    rendition: { ...rendition, segments: rendition.segments as [string, number][] },
    signal,
  })
  expect(cut.iframes[0]?.segments.map(([name]) => segmentKey(id, name))).toEqual(after.iframes)
})
