import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { processesWith } from '../../../testing/services/processes.ts'
import { provide } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { recordFault } from '../../videos/media-faults.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { encodeChunk } from '../encode/encode-chunk.ts'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { planOf } from '../plan/plan-video.ts'
import { repairDue } from '../repair.ts'
import { findRateFactors } from './find-rate-factors.ts'
import { COST, planSearch } from './quality-search.ts'
import type { FoundRateFactor, QualitySearch } from './rate-factor.ts'

await testDatabase()
// Where a cap binds, x264 with several threads may yield other bytes from one run to the next.
provide({ TRANSCODE_THREADS: '1' })
const never = new AbortController().signal
const SECONDS = 108
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-search-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const RATE = 10
const SIZE = `size=320x180:rate=${RATE}`
const PICTURES = {
  easy: `testsrc2=${SIZE}:duration=${SECONDS},noise=alls=8:allf=t:all_seed=1`,
  hard: `mandelbrot=${SIZE},trim=duration=${SECONDS},gblur=sigma=1.5`,
}
const LAVFI = ['-f', 'lavfi', '-i']
const MPEG4 = ['-c:v', 'mpeg4', '-q:v', '2', '-g', '20', '-pix_fmt', 'yuv420p']
/** One rendition of 180 lines, of a codec that is not copied. */
const clip = (name: keyof typeof PICTURES) => makeMediaFile(`quality-${name}.mp4`, [...LAVFI, PICTURES[name], ...MPEG4])

interface Searched {
  source: string
  plan: TranscodePlan & { search: QualitySearch }
  found: FoundRateFactor[]
  /** Encodings that were measured. */
  encodings: number
}

async function searched(name: keyof typeof PICTURES): Promise<Searched> {
  const source = await clip(name)
  const planned = await planOf(source, '1080p', never)
  const search = planSearch(planned, 'standard')
  if (!search) throw new Error('nothing is searched for')
  const folder = await mkdtemp(join(scratch, 'samples-'))
  const plan = { ...planned, search }
  const found = await findRateFactors({ source, folder, plan, signal: never })
  const encodings = (await readdir(folder)).filter((file) => file.startsWith('180p-')).length
  return { source, plan: { ...plan, search: { ...search, found } }, found, encodings }
}

describe('the search for rate factors', () => {
  let easy: Searched
  let hard: Searched
  beforeAll(async () => {
    easy = await searched('easy')
    hard = await searched('hard')
  })

  it('finds a greater one for an easy picture than for a hard one, the same each time', async () => {
    expect(easy.found[0]?.rateFactor).toBeGreaterThan(24)
    expect(hard.found[0]?.rateFactor).toBeLessThan(24)
    expect((await searched('easy')).found).toEqual(easy.found)
  })

  it('reaches the target within a point', () => {
    for (const { found } of [easy, hard]) {
      const { mean, p5 } = found[0]?.measured ?? { mean: 0, p5: 0 }
      expect(Math.abs(Math.min(mean - 93, p5 - 88))).toBeLessThanOrEqual(1)
    }
  })

  it('gives a chunk that waited fewer bytes of an easy picture, and more of a hard one', async () => {
    const bytesOf = async ({ source, plan }: Searched, found: FoundRateFactor[]) => {
      const [folder, chunk] = [await mkdtemp(join(scratch, 'chunk-')), plan.chunks[plan.search.from] as Chunk]
      const given = { ...plan, search: { ...plan.search, found } }
      const { renditions } = await encodeChunk({ source, folder, plan: given, chunk, signal: never, onProgress: () => {} })
      const sizes = await Promise.all(renditions.flatMap(({ segments }) => segments.map(({ path }) => stat(path))))
      return sizes.reduce((sum, { size }) => sum + size, 0)
    }
    expect(await bytesOf(easy, easy.found)).toBeLessThan(await bytesOf(easy, []))
    expect(await bytesOf(hard, hard.found)).toBeGreaterThan(await bytesOf(hard, []))
  })

  it('encodes and measures at most the planned share of the pictures', () => {
    for (const { found, encodings, plan } of [easy, hard]) {
      const pictures = found[0]?.measured?.pictures ?? Number.POSITIVE_INFINITY
      // The samples, and each encoding twice: it is encoded and measured.
      expect((1 + 2 * encodings) * pictures).toBeLessThanOrEqual(COST.short * SECONDS * RATE)
      expect(pictures).toBe(plan.search.spans.reduce((sum, { frames }) => sum + frames, 0))
    }
  })
})

it.runIf(process.platform === 'linux')('stops the search for a rendition before it reports that another one failed', async () => {
  onTestFinished(() => provide({ TRANSCODE_THREADS: '1' }))
  provide({ TRANSCODE_THREADS: '2' })
  const source = await makeMediaFile('quality-two.mp4', [...LAVFI, `testsrc2=size=640x480:rate=${RATE}:duration=${SECONDS}`, ...MPEG4])
  const planned = await planOf(source, '1080p', never)
  const search = planSearch(planned, 'standard')
  expect(search?.searched).toEqual(['480p', '240p'])
  const folder = await mkdtemp(join(scratch, 'failing-'))
  const renditions = planned.renditions.map((spec) => (spec.quality === '240p' ? { ...spec, width: 1 } : spec))
  const plan = { ...planned, renditions, search: search as QualitySearch }
  await expect(findRateFactors({ source, folder, plan, signal: never })).rejects.toThrow(ProgramFailed)
  expect(await processesWith(folder)).toEqual([])
})

it('gives its result to all chunks that waited, and to a repair of them', async () => {
  const ctx = await makeAccount()
  const videoId = await pendingVideo(ctx, await clip('easy'))
  await transcodeVideo({ accountId: ctx.accountId, videoId }, never)
  const find = () => db().media.findUniqueOrThrow({ where: { id: videoId }, include: { renditions: true } })
  const { rateFactors, renditions, status } = await find()
  expect(status).toBe('COMPLETED')
  const stored = rateFactors as unknown as QualitySearch
  expect(stored).toMatchObject({ target: 'standard', from: 2, found: [{ quality: '180p' }] })
  expect(stored.found?.[0]?.rateFactor).not.toBe(24)

  const segments = renditions[0]?.segments as [string, number][]
  const key = segmentKey(videoId, segments.at(-1)?.[0] ?? '')
  await storage().delete(key)
  await recordFault({ key, kind: 'missing' }, { repair: true })
  await repairDue(never)
  expect((await find()).renditions[0]?.segments).toEqual(segments)
  expect(await db().mediaFault.count({ where: { mediaId: videoId } })).toBe(0)
})
