import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { makeMediaFile } from '../../testing/media-files.ts'
import { provide } from '../../testing/settings.ts'
import { pendingVideo } from '../../testing/upload.ts'
import { verifyQuality } from '../../testing/verify-quality.ts'
import { publicKeys } from '../receipts/signing-keys.ts'
import { openContentKey } from '../transcoding/content-key.ts'
import { beginFurtherCodec } from '../transcoding/further-codec.ts'
import { transcodeVideo } from '../transcoding/run.ts'
import { makeReceipts } from './make-receipts.ts'
import { downloadQualityReceipt, getQuality } from './read-receipt.ts'
import { type QualityClaims, qualityClaims } from './schema.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
const { dataDir } = await testDatabase()
provide({ QUALITY_RECEIPTS: 'on' })
const { signal } = new AbortController()
let folder: string
let ctx: AccountCtx
let source: string
let videoId: string
/** Id of the row that adds AV1. */
let added: string

const SCENE = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=10:duration=70,noise=alls=10:all_seed=1', '-pix_fmt', 'yuv420p']

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelgate-quality-test-'))
  ctx = await makeAccount()
  source = await makeMediaFile('quality-receipt-av1.mp4', [...SCENE, '-c:v', 'mpeg4', '-q:v', '2', '-g', '20'])
  videoId = await pendingVideo(ctx, source)
  await transcodeVideo({ accountId: ctx.accountId, videoId }, signal)
  // A test picture is no real one, and AV1 would be dropped.
  await db().$executeRaw`UPDATE rendition SET bytes = bytes * 5 WHERE video_id = ${videoId}`
  await beginFurtherCodec(videoId, 'av1')
  added = (await db().video.findFirstOrThrow({ where: { replaces: videoId } })).id
  await transcodeVideo({ accountId: ctx.accountId, videoId: added }, signal)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const read = async (codec: 'h264' | 'av1') => {
  const { name, content } = await downloadQualityReceipt(ctx, { videoId, codec })
  return { name, content, receipt: qualityClaims.parse(decodeJwt<QualityClaims>(JSON.parse(content).jws)) }
}

it('AV1 has a receipt of its own, which states its initialization sections', async () => {
  expect(await getQuality(ctx, { videoId, codec: 'av1' })).toMatchObject({ state: 'measuring', chunksDone: 0 })
  await makeReceipts(signal)
  expect((await read('h264')).receipt.media).toBe(videoId)
  const { name, receipt } = await read('av1')
  expect(name).toBe(`reelgate-quality-${videoId}-av1.json`)
  expect(receipt).toMatchObject({ sub: videoId, media: added, source: { bytes: (await readFile(source)).byteLength } })
  const [rendition] = receipt.renditions
  expect(rendition).toMatchObject({ codecs: expect.stringMatching(/^av01/), init: { bytes: expect.any(Number) }, notMeasured: null })
  expect(rendition?.vmaf?.mean).toBeGreaterThan(70)
  expect(receipt.encodings).toEqual([expect.objectContaining({ encoder: 'svt-av1', embedded: null })])
  // Nothing of the machine.
  expect(receipt.encodings[0]?.options?.join(' ')).toMatch(/^-c:v libsvtav1 -preset \d+ -crf [\d.]+ -svtav1-params [\w=:]+ -g \d+$/)
  expect(await getQuality(ctx, { videoId, codec: 'av1' })).toMatchObject({ state: 'ready', renditions: [{ vmaf: rendition?.vmaf }] })
})

it('reelgate verify-quality computes it again, and misses another initialization section', async () => {
  const { content, receipt } = await read('av1')
  expect(receipt.chunks.length).toBeGreaterThan(1)
  const paths = {
    receipt: join(folder, 'receipt'),
    jwks: join(folder, 'jwks'),
    key: join(folder, 'key'),
    segments: join(folder, 'segments'),
  }
  await writeFile(paths.receipt, content)
  await writeFile(paths.jwks, JSON.stringify({ keys: await publicKeys() }))
  const row = await db().video.findUniqueOrThrow({ where: { id: added }, include: { renditions: true } })
  await writeFile(paths.key, openContentKey(row.contentKey as Uint8Array, added))
  await cp(join(dataDir, 'media/segments', added), paths.segments, { recursive: true })
  const init = join(paths.segments, 'init.mp4')
  const section = Buffer.from(row.renditions[0]?.init as Uint8Array)
  await writeFile(init, section)
  const verify = () => verifyQuality(paths.receipt, { source, segments: paths.segments, key: paths.key, jwks: paths.jwks })

  const { code, said } = await verify()
  expect(said).toMatch(/Valid\. Signed by http/)
  for (const what of ['the source', '18 segments', `the scores of ${receipt.chunks.length} chunks`]) expect(said).toContain(what)
  expect([code, said.includes('Not verified')]).toEqual([0, false])

  section[section.length - 1] = (section.at(-1) as number) ^ 1
  await writeFile(init, section)
  expect(await verify()).toMatchObject({ code: 1, said: expect.stringContaining('The initialization section of 120p is missing') })
})
