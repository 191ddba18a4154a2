import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ffmpeg, ffprobe } from '../../platform/ffmpeg.ts'
import { writePlaylist } from '../../testing/chunked.ts'
import { encodeFile, joinSegments } from '../../testing/encoded-file.ts'
import { makeMediaFile } from '../../testing/media-files.ts'
import { inputs, isShort } from '../../testing/rounds.ts'
import { provide } from '../../testing/settings.ts'
import { probe } from './probe.ts'

provide({ BASE_URL: 'http://localhost' })
const never = new AbortController().signal
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const picture = (size: string, rate: string | number, seconds: number) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
]
const tone = (seconds: number) => ['-f', 'lavfi', '-i', `sine=sample_rate=48000:duration=${seconds}`, '-c:a', 'aac']
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-odd-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** Returns the top rendition of a file and its tracks of sound. */
async function encoded(path: string) {
  const { plan, renditions, tracks } = await encodeFile(path, { targetQuality: '240p', scratch })
  const [rendition] = renditions
  if (!rendition) throw new Error('nothing encoded')
  return { facts: plan.facts, rendition, tracks }
}

interface Stream {
  codec_type: string
  width?: number
  height?: number
  avg_frame_rate?: string
}

describe('encode of a video with about one frame a second', () => {
  it.each(inputs(['1', '1/2'], ['2']))('at %s writes a size that a client can detect from the start of the playlist', async (rate) => {
    const path = await makeMediaFile(`slow-${rate.replace('/', '-')}.mp4`, [...picture('320x180', rate, 10), ...tone(10), ...x264])
    const { facts, rendition, tracks } = await encoded(path)
    expect(facts.frameRate.value).toBeGreaterThanOrEqual(5)
    expect(facts.frameRate.value).toBeLessThan(10)
    const detected = async (name: string, segments: Parameters<typeof writePlaylist>[1]) => {
      const list = await writePlaylist(join(await mkdtemp(join(scratch, 'list-')), `${name}.m3u8`), segments)
      return ffmpeg(['-v', 'info', '-i', list, '-map', '0', '-c', 'copy', '-f', 'null', '-'])
    }
    const shown = await detected('picture', rendition.segments)
    expect(shown).not.toMatch(/unspecified size/)
    expect(shown).toMatch(/Video: h264 .* 320x180/)
    expect(await detected('sound', tracks[0]?.segments ?? [])).toMatch(/Audio: aac \(LC\).* 48000 Hz, stereo/)
  })
})

describe('encode of interlaced video', () => {
  it.each(inputs([['1080i59.94', '60000/1001', '60000/1001']], [['1080i50', '50', '50']]))(
    'with %s fields keeps one frame per field',
    async (name, fields, rate) => {
      const lines = ['-vf', 'interlace=scan=tff:lowpass=0', '-c:v', 'mpeg2video', '-flags', '+ilme+ildct', '-q:v', '3']
      const path = await makeMediaFile(`${name}.mpg`, [...picture('480x270', fields, 1), ...lines])
      const { facts, rendition } = await encoded(path)
      expect(facts).toMatchObject({ interlaced: true, frameRate: { text: rate } })
      // Most frames differ from the previous one; at half the rate, or with repeated frames, at most half of them would.
      const output = await ffmpeg([
        ...[
          '-v',
          'info',
          '-f',
          'mpegts',
          '-i',
          rendition.segments[0]?.path ?? '',
          '-vf',
          'mpdecimate=hi=200:lo=100:frac=0.01,showinfo',
          '-f',
          'null',
          '-',
        ],
      ])
      expect([...output.matchAll(/pts_time:/g)].length).toBeGreaterThan(facts.frameRate.value * 0.6)
    },
  )
})

describe('encode of a video whose size changes', () => {
  const white = (size: string) => ['-f', 'lavfi', '-i', `color=white:size=${size}:rate=10:duration=2`]
  const sizes = ['160x90', '80x46', '90x160']
  /** Returns the luma of the rendition's pictures, 160×90 each. */
  async function lumaOf(path: string): Promise<{ frames: number; at: (frame: number, x: number, y: number) => number }> {
    const { rendition } = await encoded(path)
    expect(rendition.spec).toMatchObject({ width: 160, height: 90 })
    const raw = `${rendition.segments[0]?.path}.gray`
    await ffmpeg(['-i', await joinSegments(rendition.segments), '-pix_fmt', 'gray', '-f', 'rawvideo', raw])
    const luma = await readFile(raw)
    return { frames: luma.length / (160 * 90), at: (frame, x, y) => luma[(frame * 90 + y) * 160 + x] as number }
  }
  const kinds: [name: string, codec: string[], raw: string][] = [
    ['H.264 in MPEG-TS', [...x264, '-bsf:v', 'h264_mp4toannexb', '-f', 'h264'], 'h264'],
    ['interlaced MPEG-2', ['-vf', 'setfield=tff', '-c:v', 'mpeg2video', '-flags', '+ilme+ildct', '-f', 'mpeg2video'], 'mpegvideo'],
  ]
  it.each(inputs(kinds))('of %s keeps its frames and the shape of each', async (name, codec, format) => {
    const parts = await Promise.all(sizes.map((size) => makeMediaFile(`${size}-white.bin`, [...white(size), ...codec])))
    const joined = ['-fflags', '+genpts', '-r', '10', '-f', format, '-i', `concat:${parts.join('|')}`]
    const path = await makeMediaFile(`sizes-${name.replaceAll(' ', '-')}.ts`, [...joined, ...tone(6), '-c:v', 'copy'])
    const { frames, at } = await lumaOf(path)
    // MPEG-2 shows its frames a little later after each change. Started over, pictures would be half as many again.
    expect(Math.abs(frames / (format === 'h264' ? 60 : 120) - 1)).toBeLessThan(0.05)
    for (const share of [0.15, 0.5]) {
      const frame = Math.round(frames * share)
      expect(at(frame, 3, 45)).toBeGreaterThan(220)
      expect(at(frame, 80, 3)).toBeGreaterThan(220)
    }
    const last = frames - 5
    expect(at(last, 80, 3)).toBeGreaterThan(220)
    expect([at(last, 30, 45), at(last, 130, 45)].every((luma) => luma < 30)).toBe(true)
  })
})

describe('probe of a fragmented MP4', () => {
  const fragments: [name: string, flags: string[]][] = [
    ['whose last fragment is longer', ['-movflags', 'empty_moov', '-frag_duration', '500000', '-video_track_timescale', '90000']],
    ['of a fragment a frame', ['-preset', 'medium', '-movflags', 'frag_every_frame+empty_moov']],
    ['of few clock ticks a second', ['-movflags', 'frag_keyframe+empty_moov', '-video_track_timescale', '1000']],
  ]
  it.each(inputs(fragments))('at %s returns the rate of its track', async (name, flags) => {
    const path = await makeMediaFile(`${name.replaceAll(' ', '-')}.mp4`, [...picture('320x180', 30, 3), ...tone(3), ...x264, ...flags])
    expect((await probe(path, never)).frameRate).toEqual({ text: '30', value: 30 })
  })

  it.skipIf(isShort)('at 29.97 frames a second returns that rate', async () => {
    const flags = ['-movflags', 'empty_moov', '-frag_duration', '500000']
    const path = await makeMediaFile('ntsc.mp4', [...picture('320x180', '30000/1001', 3), ...x264, ...flags])
    expect((await probe(path, never)).frameRate.text).toBe('30000/1001')
    const [stream] = ((await ffprobe((await encoded(path)).rendition.segments[0]?.path ?? '')).found as { streams: Stream[] }).streams
    expect(stream?.avg_frame_rate).toBe('30000/1001')
  })
})

describe.skipIf(isShort)('probe of a short video that exceeds the limit of work', () => {
  it('refuses it and states the amount', async () => {
    const path = await makeMediaFile('many-pixels.mp4', ['-f', 'lavfi', '-i', 'color=black:size=1280x720:rate=30:duration=2', ...x264])
    provide({ MAX_VIDEO_GIGAPIXELS: '1' })
    expect((await probe(path, never)).durationSec).toBe(2)
    const longer = await makeMediaFile('more-pixels.mp4', ['-f', 'lavfi', '-i', 'color=black:size=1920x1080:rate=60:duration=10', ...x264])
    await expect(probe(longer, never)).rejects.toThrow(
      /^This video has 1\.2 billion pixels in total \(600 frames of 1920×1080\); the maximum is 1 billion\./,
    )
    provide({ MAX_VIDEO_GIGAPIXELS: '' })
  })
})
