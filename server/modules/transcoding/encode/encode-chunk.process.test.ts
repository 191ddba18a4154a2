import { copyFile, mkdtemp, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { differences, encodeJoined, numberedFrames, plansOf, play, TINY_CHUNKS } from '../../../testing/media/chunked.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { inputs, isShort, rounds } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import { CHUNK_SIZES } from '../plan/chunk-starts.ts'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { encodeChunk } from './encode-chunk.ts'

/** Enough for three chunks. */
const SECONDS = rounds(13, 50)
const chunkSizes = rounds(1, 0) ? TINY_CHUNKS : CHUNK_SIZES
const never = new AbortController().signal
provide({ BASE_URL: 'http://localhost' })
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-chunk-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const x264 = (gop: number, more = '') => [
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '3', '-g', String(gop)],
  ...['-x264-params', `scenecut=0:b-pyramid=normal${more}`],
]

const encode = async (source: string, plan: TranscodePlan, chunk: Chunk, more: Partial<Parameters<typeof encodeChunk>[0]> = {}) =>
  encodeChunk({ source, folder: await mkdtemp(join(scratch, 'one-')), plan, chunk, signal: never, onProgress: () => {}, ...more })

describe('encodeChunk', () => {
  // Long groups of short sources are shorter: with much to decode before its chunks, a source is one chunk.
  const sources: [name: string, file: string, args: string[]][] = [
    ['an MP4 with B-frames and long groups', 'long-groups.mp4', [...numberedFrames('30000/1001', SECONDS), ...x264(rounds(100, 250))]],
    ['open groups', 'open.mp4', [...numberedFrames('30', SECONDS), ...x264(rounds(100, 125), ':open-gop=1')]],
    ['a start offset', 'offset.mkv', [...numberedFrames('30', SECONDS), ...x264(rounds(100, 200)), '-output_ts_offset', '7.3']],
    [
      'a varying rate',
      'vary.mp4',
      [...numberedFrames('30', SECONDS), '-vf', 'select=gt(random(1)\\,0.3)', '-fps_mode', 'vfr', ...x264(rounds(70, 100))],
    ],
    [
      'interlaced fields at 59.94',
      'fields.mkv',
      [
        ...numberedFrames('60000/1001', SECONDS),
        '-vf',
        'interlace=scan=tff:lowpass=0',
        '-c:v',
        'mpeg2video',
        '-flags',
        '+ilme+ildct',
        '-q:v',
        '3',
        '-g',
        '15',
        '-bf',
        '2',
      ],
    ],
  ]
  const others: typeof sources = [
    ['key frames at the chunks’ starts', 'two-seconds.mp4', [...numberedFrames('25', SECONDS), ...x264(50)]],
    [
      'a picture that begins late',
      'late.mkv',
      [
        ...['-itsoffset', '2.6', ...numberedFrames('25', SECONDS - 2), '-f', 'lavfi', '-i', `sine=duration=${SECONDS + 1}`],
        ...x264(rounds(33, 100)),
      ],
    ],
    [
      'sound that ends late',
      'hold.mp4',
      [...numberedFrames('25', rounds(9, 30)), '-f', 'lavfi', '-i', `sine=duration=${rounds(18, 60)}`, ...x264(100)],
    ],
    ['single frames as groups', 'intra.mov', [...numberedFrames('25', SECONDS + 4), '-c:v', 'mjpeg', '-q:v', '4', '-pix_fmt', 'yuvj420p']],
    ['a Matroska file in milliseconds at 29.97', 'ms.mkv', [...numberedFrames('30000/1001', SECONDS), ...x264(rounds(100, 250))]],
    ['23.976 frames a second', 'cinema.mkv', [...numberedFrames('24000/1001', SECONDS), ...x264(rounds(80, 120))]],
    ['59.94 frames a second', 'fast.mp4', [...numberedFrames('60000/1001', SECONDS), ...x264(rounds(200, 250))]],
  ]
  it.each(inputs(sources, others))(
    'of %s yields the frames of one pass, at regular times and without a warning',
    async (_name, file, args) => {
      const path = await makeMediaFile(file, args)
      const { chunked, single } = await plansOf(path, { chunkSizes })
      expect(chunked.chunks.length).toBeGreaterThan(2)
      const [joined, whole] = [await encodeJoined(path, chunked, scratch), await encodeJoined(path, single, scratch)]
      const [parts, pass] = [await play(joined.list), await play(whole.list)]
      expect(parts.frames.length).toBe(pass.frames.length)
      expect(differences(parts.frames, pass.frames)).toEqual([])
      expect(joined.frames.slice(0, -1)).toEqual(chunked.chunks.slice(0, -1).map(({ frames }) => frames))
      expect(parts.times.length).toBe(parts.frames.length)
      const { value } = chunked.facts.frameRate
      const irregular = parts.times.filter((time, at) => Math.abs(time - (parts.times[0] as number) - at / value) > 0.000_05)
      expect(irregular).toEqual([])
      expect(parts.times[0]).toBeCloseTo(pass.times[0] as number, 4)
      expect(parts.warnings).toBe('')
      // Segments are those of one pass.
      const lengths = (all: typeof joined) => all.segments.map((one) => one.durationSec.toFixed(3))
      expect(lengths(joined)).toEqual(lengths(whole))
    },
  )

  it.skipIf(isShort)('of gradual refresh yields the frames of one pass, because it is one chunk', async () => {
    // Key frames that are recovery points: a picture begun there is whole only when the refresh has passed over it.
    const moving = ['-vf', 'noise=alls=40:allf=t']
    const path = await makeMediaFile('refresh.mp4', [
      ...numberedFrames('30', SECONDS),
      ...moving,
      ...x264(100, ':intra-refresh=1'),
      '-bf',
      '0',
    ])
    const { chunked, single } = await plansOf(path, { chunkSizes })
    const [joined, whole] = [await encodeJoined(path, chunked, scratch), await encodeJoined(path, single, scratch)]
    const [parts, pass] = [await play(joined.list), await play(whole.list)]
    expect(parts.frames.length).toBe(pass.frames.length)
    expect(differences(parts.frames, pass.frames)).toEqual([])
    expect(chunked.chunks).toHaveLength(1)
  })

  it('of a source that ends before the chunk has no frames, and a source that cannot be decoded is refused with the times', {
    tags: ['deep'],
  }, async () => {
    const whole = await makeMediaFile('index-first.mp4', [...numberedFrames('30', SECONDS), ...x264(100), '-movflags', '+faststart'])
    const { chunked } = await plansOf(whole, { chunkSizes })
    const path = join(scratch, 'cut.mp4')
    await copyFile(whole, path)
    await truncate(path, Math.floor((await stat(whole)).size / 2))
    const last = chunked.chunks.at(-1) as Chunk
    const onSegment = () => expect.unreachable('an empty segment was reported')
    expect(await encode(path, chunked, last, { onSegment })).toMatchObject({ frames: 0, renditions: [] })
    // A stream that the source lacks is a fault of the source.
    const elsewhere = { ...chunked, facts: { ...chunked.facts, videoStream: 7 } }
    const { startFrame, expectedFrames } = last
    const times = [startFrame, startFrame + expectedFrames].map((frame) => `00:00:${String(Math.round(frame / 30)).padStart(2, '0')}`)
    await expect(encode(path, elsewhere, last)).rejects.toThrow(
      `The file cannot be decoded between ${times[0]} and ${times[1]}. Export it again and upload the new file.`,
    )
  })
})
