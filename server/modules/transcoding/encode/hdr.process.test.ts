import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg, ffprobe } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { replacer } from '../../../testing/media/replacing.ts'
import { transcodedVideo } from '../../../testing/media/transcoded.ts'
import { masterPlaylistUrl } from '../../delivery/sessions/media-permit.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { beginFurtherCodec } from '../plan/further-codec.ts'
import { repairMedia } from '../repair.ts'
import { readHdrPicture } from './hdr-picture.ts'

await testDatabase()
const baseUrl = await startHttpServer()
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-hdr-'))
  await startQueue(JOBS)
})
afterAll(async () => {
  await stopQueue()
  await rm(scratch, { recursive: true, force: true })
})

const never = new AbortController().signal
/** Two segments. */
const SECONDS = 5
const MASTERING = 'master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400'

/** A clip in ten bits by x265: bars from black to the greatest value that is used, and numbers that move. */
const clip = (transfer: 'smpte2084' | 'arib-std-b67') => {
  const tags = `colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`
  const light = transfer === 'smpte2084' ? `:hdr10=1:repeat-headers=1:${MASTERING}` : ''
  return makeMediaFile(`kept-${transfer}.mp4`, [
    ...['-f', 'lavfi', '-i', `testsrc2=size=480x360:rate=10:duration=${SECONDS}`],
    ...['-vf', `format=yuv420p10le,setparams=range=tv:color_primaries=bt2020:color_trc=${transfer}:colorspace=bt2020nc`],
    ...['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', `log-level=none:${tags}${light}`, '-tag:v', 'hvc1'],
  ])
}

/** A COMPLETED video with renditions of AV1. Test pictures need more bytes in AV1 than real ones, so those of H.264 count more. */
async function extended(path: string) {
  const caller = await replacer(baseUrl)
  const id = await transcodedVideo(caller.ctx, path, { targetQuality: '360p' })
  await db().rendition.updateMany({ where: { mediaId: id }, data: { bytes: 10_000_000n } })
  expect(await beginFurtherCodec(id, 'av1')).toBe(true)
  await caller.transcode(id)
  const master = masterPlaylistUrl(id, SECONDS).url
  const text = await (await fetch(master)).text()
  const variants = [...text.matchAll(/^#EXT-X-STREAM-INF:(.*)\n(.+)$/gm)].map(([, attributes = '', name = '']) => ({
    range: /VIDEO-RANGE=(\w+)/.exec(attributes)?.[1],
    codecs: /CODECS="([^"]+)"/.exec(attributes)?.[1] ?? '',
    size: /RESOLUTION=([\dx]+)/.exec(attributes)?.[1],
    url: new URL(name, master).href,
  }))
  return { id, master, variants }
}

interface Described {
  pix_fmt?: string
  color_range?: string
  color_primaries?: string
  color_transfer?: string
  color_space?: string
}

/** Saves a variant as a player gets it, decrypted; `from`: its first segment. Returns the path and what the first frame states. */
async function saved(url: string, from = 0) {
  const [path, list] = [randomUUID(), randomUUID()].map((name) => join(scratch, name)) as [string, string]
  const lines = (await (await fetch(url)).text()).replace('MEDIA-SEQUENCE:0', `MEDIA-SEQUENCE:${from}`).split('\n')
  const first = lines.findIndex((line) => line.startsWith('#EXTINF'))
  const left = lines.toSpliced(first, 2 * from).join('\n')
  await writeFile(
    list,
    left.replace(/URI="(?!http)([^"]+)"/g, (_, name) => `URI="${new URL(name, url).href}"`),
  )
  const protocols = ['-protocol_whitelist', 'file,crypto,data,http,tcp', '-allowed_extensions', 'ALL']
  await ffmpeg([...protocols, '-f', 'hls', '-i', list, '-map', '0:v', '-c', 'copy', '-f', 'mp4', path])
  const { frames } = (await ffprobe(path, { firstFrameOf: 0 })).found as { frames: Described[] }
  const { pix_fmt, color_range, color_primaries, color_transfer, color_space } = frames[0] ?? {}
  return { path, frame: [pix_fmt, color_range, color_primaries, color_transfer, color_space].join(' ') }
}

/** Returns the mean of luma as ten-bit values. */
async function luma(path: string): Promise<number> {
  const stats = 'format=yuv420p10le,signalstats,metadata=print:key=lavfi.signalstats.YAVG'
  const output = await ffmpeg(['-v', 'info', '-i', path, '-vf', stats, '-f', 'null', '-'])
  const values = [...output.matchAll(/YAVG=([\d.]+)/g)].map(([, value]) => Number(value))
  expect(values.length).toBeGreaterThan(0)
  return values.reduce((sum, one) => sum + one, 0) / values.length
}

/** The video of each range; the repair at the end damages that of HLG. */
const madeOf = new Map<string, Awaited<ReturnType<typeof extended>>>()

describe.each([
  ['HDR10', 'smpte2084', 'PQ', 'pq', 16],
  ['HLG', 'arib-std-b67', 'HLG', 'hlg', 18],
] as const)('a source in %s', (_name, transfer, range, hdr, code) => {
  let path: string
  let made: Awaited<ReturnType<typeof extended>>
  beforeAll(async () => {
    path = await clip(transfer)
    made = await extended(path)
    madeOf.set(range, made)
  })
  const of = (wanted: string) => made.variants.filter((variant) => variant.range === wanted)

  it('has a whole ladder in SDR and H.264, and one in HDR and AV1, with their codec strings', () => {
    expect(of('SDR').map(({ size }) => size)).toEqual(['480x360', '320x240'])
    expect(of(range).map(({ size }) => size)).toEqual(of('SDR').map(({ size }) => size))
    expect(made.variants).toHaveLength(4)
    for (const { codecs } of of('SDR')) expect(codecs).toMatch(/^avc1\./)
    for (const { codecs } of of(range)) expect(codecs).toMatch(new RegExp(`^av01\\.0\\.\\d\\dM\\.10\\.0\\.11\\d\\.09\\.${code}\\.09\\.0$`))
  })

  it('keeps ten bits, colours and metadata in AV1, in each segment', async () => {
    const inSource = await readHdrPicture(path, { hdr, videoStream: 0 }, never)
    expect(inSource?.mastering).toBe(hdr === 'pq' ? 'G(0.265,0.69)B(0.15,0.06)R(0.68,0.32)WP(0.3127,0.329)L(1000,0.005)' : undefined)
    expect(inSource?.contentLight).toBe(hdr === 'pq' ? '1000,400' : undefined)
    const numbers = (text = '') => [...text.matchAll(/[\d.]+/g)].map(([found]) => Number(found))
    for (const { url } of of(range)) {
      for (const from of [0, 1]) {
        const file = await saved(url, from)
        expect(file.frame).toBe(`yuv420p10le tv bt2020 ${transfer} bt2020nc`)
        const kept = await readHdrPicture(file.path, { hdr, videoStream: 0 }, never)
        expect(kept?.contentLight).toBe(inSource?.contentLight)
        const [found, stated] = [numbers(kept?.mastering), numbers(inSource?.mastering)]
        expect(found).toHaveLength(stated.length)
        for (const [at, value] of stated.entries()) expect(found[at]).toBeCloseTo(value, 3)
      }
    }
    const { init } = await db().rendition.findFirstOrThrow({ where: { mediaId: made.id, codec: 'av1' } })
    const box = Buffer.from(init ?? [])
    const at = box.indexOf('colrnclx')
    expect([8, 10, 12].map((offset) => box.readUInt16BE(at + offset))).toEqual([9, code, 9])
  })

  it('is tone-mapped in H.264 alone', async () => {
    const [shown, kept] = await Promise.all([saved(of('SDR')[0]?.url ?? ''), saved(of(range)[0]?.url ?? '')])
    expect(shown.frame).toBe('yuv420p tv bt709 bt709 bt709')
    const [source, sdr, inHdr] = [await luma(path), await luma(shown.path), await luma(kept.path)]
    expect(Math.abs(inHdr - source)).toBeLessThan(4)
    expect(Math.abs(sdr - source)).toBeGreaterThan(20)
  })

  it('plays in ffmpeg, with every variant', async () => {
    expect(await ffmpeg(['-i', made.master, '-map', '0', '-f', 'null', '-'])).toBe('')
  })
})

it('a repair keeps renditions in SDR that an earlier version made of an HDR source', async () => {
  const { id = '' } = madeOf.get('HLG') ?? {}
  const extra = { mediaId: id, codec: 'av1' }
  const [stored] = await db().rendition.findMany({ where: extra, orderBy: { height: 'asc' } })
  await db().rendition.updateMany({ where: extra, data: { codecs: 'av01.0.00M.08' } })
  const name = (stored?.segments as [string, number][] | undefined)?.[0]?.[0] ?? ''
  await storage().put(segmentKey(id, name), Buffer.from('damaged'), { contentType: 'video/mp4', cacheControl: '' })
  await repairMedia(id, never)
  const after = await db().rendition.findFirstOrThrow({ where: { ...extra, quality: stored?.quality ?? '' } })
  expect(after.codecs).toBe('av01.0.00M.08')
  expect(after.segments).not.toEqual(stored?.segments)
})
