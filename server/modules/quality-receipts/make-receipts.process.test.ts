import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { makeMediaFile } from '../../testing/media-files.ts'
import { provide } from '../../testing/settings.ts'
import { pendingVideo } from '../../testing/upload.ts'
import { verifyQuality } from '../../testing/verify-quality.ts'
import { receiptFile, signReceipt } from '../receipts/sign.ts'
import { publicKeys } from '../receipts/signing-keys.ts'
import { SERVICE } from '../signing/content-access.ts'
import { openContentKey } from '../transcoding/content-key.ts'
import { transcodeVideo } from '../transcoding/run.ts'
import { makeReceipts } from './make-receipts.ts'
import { type QualityClaims, qualityClaims } from './schema.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
const { dataDir } = await testDatabase()
provide({ QUALITY_RECEIPTS: 'on' })
const { signal } = new AbortController()
let folder: string
let ctx: AccountCtx
let source: string
let videoId: string
let receipt: QualityClaims
let jws: string

const SCENE = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=10:duration=24,noise=alls=10:all_seed=1', '-pix_fmt', 'yuv420p']

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelgate-quality-test-'))
  ctx = await makeAccount()
  source = await makeMediaFile('quality-receipt.mp4', [...SCENE, '-c:v', 'mpeg4', '-q:v', '2', '-g', '20'])
  videoId = await pendingVideo(ctx, source)
  await transcodeVideo({ accountId: ctx.accountId, videoId }, signal)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const row = () => db().qualityReceipt.findUniqueOrThrow({ where: { mediaId: videoId }, include: { chunks: true } })

it('measures nothing while a video waits, and nothing when it is off', async () => {
  const waiting = await pendingVideo(ctx, source)
  await makeReceipts(signal)
  await db().video.delete({ where: { id: waiting } })
  provide({ QUALITY_RECEIPTS: 'off' })
  await makeReceipts(signal)
  provide({ QUALITY_RECEIPTS: 'on' })
  expect(await row()).toMatchObject({ jws: null, failure: null, chunks: [] })
})

it('goes on after a stop with the chunks that are left, and signs what was measured of each', async () => {
  const stop = new AbortController()
  const stopped = makeReceipts(stop.signal).catch((error: Error) => error)
  await expect.poll(async () => (await row()).chunks.length, { interval: 5, timeout: 180_000 }).toBe(1)
  stop.abort()
  await stopped
  expect((await row()).chunks).toHaveLength(1)
  await db().$executeRaw`UPDATE quality_chunk SET result = result || '{"libvmaf": "of the first worker"}'`
  await makeReceipts(signal)

  const signed = await row()
  expect(signed).toMatchObject({ failure: null, dueAt: null, chunks: [] })
  jws = signed.jws as string
  receipt = qualityClaims.parse(decodeJwt(jws))
  expect(receipt).toMatchObject({ kind: 'video.quality', sub: videoId, media: videoId, method: { libvmaf: 'of the first worker' } })
  const [rendition] = receipt.renditions
  expect(receipt.chunks.map(({ frames }) => frames)).toEqual([40, 80, 120])
  expect(rendition?.vmaf).toMatchObject({ pictures: 96, mean: expect.toSatisfy((mean: number) => mean > 80 && mean <= 100) })
  expect(rendition?.chunks.map(({ segments }) => segments.length)).toEqual([1, 2, 3])
  const [encoding] = receipt.encodings
  expect(encoding).toMatchObject({ encoder: 'x264', embedded: expect.stringMatching(/^x264 - core \d+ .*crf=/) })
  expect(encoding?.options?.slice(0, 4)).toEqual(['-c:v', 'libx264', '-preset', 'veryfast'])
})

describe('reelgate verify-quality', () => {
  const names = { receipt: '', jwks: '', key: '', segments: '', other: '' }

  beforeAll(async () => {
    for (const name of Object.keys(names) as (keyof typeof names)[]) names[name] = join(folder, name)
    await writeFile(names.receipt, receiptFile(SERVICE, jws).content)
    await writeFile(names.jwks, JSON.stringify({ keys: await publicKeys() }))
    const { contentKey } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
    await writeFile(names.key, openContentKey(contentKey as Uint8Array, videoId))
    await cp(join(dataDir, 'media/segments', videoId), names.segments, { recursive: true })
    names.other = await makeMediaFile('quality-other.mp4', [...SCENE, '-vf', 'hflip', '-c:v', 'mpeg4', '-q:v', '2', '-g', '20'])
  })

  async function verify(file = names.receipt, { from = source, segments = names.segments } = {}) {
    return verifyQuality(file, { source: from, segments, key: names.key, jwks: names.jwks })
  }
  /** What a service would sign that lies about its media. */
  async function signed(change: (facts: QualityClaims) => void): Promise<string> {
    const changed = structuredClone(receipt)
    change(changed)
    const { kind, account: accountId, sub: subject, jti: id, iss: _iss, iat: _iat, ...facts } = changed
    const file = join(folder, 'changed')
    await writeFile(file, receiptFile(SERVICE, await signReceipt(SERVICE, { id, kind, accountId, subject, facts })).content)
    return file
  }
  const parts = (of: QualityClaims) => of.renditions[0]?.chunks as QualityClaims['renditions'][number]['chunks']

  it('confirms hashes, settings and scores offline, from the stored segments', async () => {
    const { code, said } = await verify()
    expect(said).toMatch(/Valid\. Signed by http/)
    for (const what of ['the source', '6 segments', 'the settings of the encoder', 'the scores of 3 chunks']) expect(said).toContain(what)
    expect([code, said.includes('Not verified')]).toEqual([0, false])
  })

  it('finds a flipped byte, and segments in each other’s place', async () => {
    const segments = join(folder, 'damaged')
    await cp(names.segments, segments, { recursive: true })
    const [[one], [two]] = parts(receipt)
      .map(({ segments: own }) => own.map(({ sha256 }) => join(segments, `${sha256.slice(0, 32)}.ts`)))
      .slice(0, 2) as [[string], [string]]
    const bytes = await readFile(one)
    bytes[1_000] = (bytes[1_000] as number) ^ 1
    await writeFile(one, bytes)
    expect(await verify(names.receipt, { segments })).toMatchObject({
      code: 1,
      said: expect.stringContaining('of chunk 0 of 120p is not the one'),
    })
    await cp(join(names.segments, one.split('/').at(-1) as string), two)
    await cp(join(names.segments, two.split('/').at(-1) as string), one)
    const { said } = await verify(names.receipt, { segments })
    for (const at of [0, 1]) expect(said).toContain(`of chunk ${at} of 120p is not the one of the receipt`)
    expect(await readdir(segments)).toHaveLength((await readdir(names.segments)).length)
  })

  it('finds another source, and a receipt that was altered', async () => {
    expect(await verify(names.receipt, { from: names.other })).toMatchObject({
      code: 1,
      said: expect.stringContaining('source is another file'),
    })
    const altered = join(folder, 'altered')
    const [head, , signature] = jws.split('.')
    const claims = { ...decodeJwt(jws), encrypted: false }
    await writeFile(altered, [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.'))
    expect(await verify(altered)).toMatchObject({ code: 1, said: expect.stringContaining('signature does not match') })
  })

  it('finds what a service signs that is not so: other arguments, a swapped chunk, better scores', async () => {
    const options = await signed(({ encodings }) => encodings[0]?.options?.splice(4, 2, '-crf', '18'))
    expect(await verify(options)).toMatchObject({ code: 1, said: expect.stringMatching(/arguments of chunk 0 .* x264 states crf=/) })
    const embedded = await signed(({ encodings: [encoding] }) => {
      if (!encoding) return
      encoding.options = null
      encoding.embedded = String(encoding.embedded).replace(/crf=[\d.]+/, 'crf=18.0')
    })
    expect(await verify(embedded)).toMatchObject({ code: 1, said: expect.stringContaining('encoded with other settings') })
    const swapped = await signed((facts) => {
      const [, second, third] = parts(facts)
      if (second && third) [second.segments, third.segments] = [third.segments, second.segments]
      for (const part of parts(facts)) part.bytes = part.segments.reduce((sum, { bytes }) => sum + bytes, 0)
    })
    expect(await verify(swapped)).toMatchObject({ code: 1, said: expect.stringMatching(/cannot be decrypted|The mean of chunk 1/) })
    const better = await signed((facts) => {
      const [first] = parts(facts)
      if (first?.vmaf) first.vmaf.mean = 100
    })
    expect(await verify(better)).toMatchObject({ code: 1, said: expect.stringMatching(/The mean of chunk 0 of 120p is .* states 100/) })
  })
})
