import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ffmpeg, ffprobe } from '../../../platform/ffmpeg/ffmpeg.ts'
import { writePlaylist } from '../../../testing/media/chunked.ts'
import { encodeFile, joinSegments } from '../../../testing/media/encoded-file.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { inputs, isShort } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import { withMatrix } from '../../../testing/turned.ts'
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

/** Returns the luma of the pictures of a file's rendition. */
async function lumaOf(path: string) {
  const { rendition, facts } = await encoded(path)
  const { width, height } = rendition.spec
  const raw = `${rendition.segments[0]?.path}.gray`
  await ffmpeg(['-i', await joinSegments(rendition.segments), '-pix_fmt', 'gray', '-f', 'rawvideo', raw])
  const luma = await readFile(raw)
  const at = (frame: number, x: number, y: number) => luma[(frame * height + y) * width + x] as number
  return { frames: luma.length / (width * height), width, height, facts, at }
}

describe('encode of a picture with a display matrix', () => {
  const matrices: [number, number, number, number][] = [
    [1, 0, 0, -1],
    [0, 1, 1, 0],
    [-1, 0, 0, 1],
    [0, -1, -1, 0],
    [0, 1, -1, 0],
    [0, -1, 1, 0],
    [-1, 0, 0, -1],
  ]
  it.each(inputs(matrices))('%i %i %i %i shows it turned and mirrored, and copies no packets', async (...matrix) => {
    const [a, b, c, d] = matrix
    const corner = ['-f', 'lavfi', '-i', 'color=black:size=160x90:rate=10:duration=1,drawbox=0:0:80:45:white:fill']
    const plain = await makeMediaFile('corner.mp4', [...corner, ...x264])
    const path = join(scratch, `${matrix.join()}.mp4`)
    await writeFile(path, withMatrix(await readFile(plain), matrix))
    const { width, height, facts, at } = await lumaOf(path)
    expect([width, height]).toEqual(a === 0 ? [90, 160] : [160, 90])
    expect(facts.coding).toMatchObject({ rotated: true })
    // The white corner is to the left and above the middle before.
    const place = (towards: number, side: number) => Math.round(side * (towards > 0 ? 0.75 : 0.25))
    expect(at(5, place(-a - c, width), place(-b - d, height))).toBeGreaterThan(220)
    expect(at(5, place(a + c, width), place(b + d, height))).toBeLessThan(30)
  })
})

it('a stream that states another shape of pixels than its container is not copied', async () => {
  const made = await makeMediaFile('square.mp4', [...picture('160x90', 10, 6), ...x264, '-x264-params', 'sar=1/1'])
  const metadata = ['-c', 'copy', '-bsf:v', 'h264_metadata=sample_aspect_ratio=4/3', '-aspect', '16:9']
  const path = await makeMediaFile('wide-stream.mp4', ['-i', made, ...metadata])
  expect(await probe(path, never)).toMatchObject({ width: 160, height: 90, coding: { squarePixels: false } })
  expect(await probe(made, never)).toMatchObject({ width: 160, height: 90, coding: { squarePixels: true } })
})

it('a container that states the colors of a stream that states none is not copied', async () => {
  const size = ['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709']
  const made = await makeMediaFile('plain-colors.mp4', [...picture('160x90', 10, 2), ...x264])
  const path = await makeMediaFile('container-colors.mkv', ['-i', made, '-c', 'copy', ...size])
  expect(await probe(path, never)).toMatchObject({ colors: { matrix: 'bt709' }, coding: { otherColors: true } })
  expect((await probe(made, never)).coding?.otherColors).toBeUndefined()
})

it('a thumbnail in front of the video is not taken for it', async () => {
  const thumbnail = await makeMediaFile('thumb.mov', ['-f', 'lavfi', '-i', 'color=red:size=320x180', '-frames:v', '1', '-c:v', 'mjpeg'])
  const video = await makeMediaFile('whole.mp4', [...picture('160x90', 10, 2), ...x264])
  for (const ending of ['mp4', 'mkv']) {
    const path = await makeMediaFile(`thumb-first.${ending}`, ['-i', video, '-i', thumbnail, '-map', '1:v', '-map', '0:v', '-c', 'copy'])
    expect(await probe(path, never)).toMatchObject({ videoStream: 1, width: 160, height: 90 })
  }
})

it('sound without a decoder is left out by name, and the rest of the file becomes a video', async () => {
  const mapped = ['-map', '0', '-map', '1', '-map', '1']
  const made = await makeMediaFile('two-tracks.mp4', [...picture('160x90', 10, 2), ...tone(2), ...mapped, ...x264])
  const file = (await readFile(made)).toString('latin1')
  const at = file.lastIndexOf('mp4a')
  const path = join(scratch, 'second-unknown.mp4')
  await writeFile(path, Buffer.from(`${file.slice(0, at)}apac${file.slice(at + 4).replace('esds', 'dacx')}`, 'latin1'))
  const { facts, tracks } = await encoded(path)
  const reason = 'its format (APAC) cannot be decoded. Export the file with AAC audio to include it'
  expect(facts).toMatchObject({ audio: [{ stream: 1 }], leftOut: [{ name: 'Track 2', reason }] })
  expect(tracks).toHaveLength(1)
})

it.each(inputs([9, 12], [10, 11, 24]))('sound of %i channels is mixed to two', async (channels) => {
  const one = '0.5*sin(2*PI*1000*t)'
  const sound = ['-f', 'lavfi', '-i', `aevalsrc=${Array(channels).fill(one).join('|')}:s=48000:d=1`, '-c:a', 'pcm_s16le']
  const path = await makeMediaFile(`channels-${channels}.mov`, [...picture('160x90', 10, 1), ...sound, ...x264])
  const { tracks } = await encoded(path)
  const detected = ['-i', await joinSegments(tracks[0]?.segments ?? []), '-af', 'volumedetect', '-f', 'null', '-']
  expect(await ffmpeg(['-v', 'info', ...detected])).toMatch(/mean_volume: -9\.\d dB/)
})

it('sound around the listener is mixed to two channels', async () => {
  const sound = ['-f', 'lavfi', '-i', `aevalsrc=${Array(4).fill('0.5*sin(2*PI*1000*t)').join('|')}:s=48000:d=1`]
  const opus = ['-c:a', 'libopus', '-mapping_family', '255', '-b:a', '256k']
  const file = await readFile(await makeMediaFile('four.mkv', [...picture('160x90', 10, 1), ...sound, ...opus, ...x264]))
  // The mapping family of ambisonics (RFC 8486).
  file[file.indexOf('OpusHead') + 18] = 2
  const path = join(scratch, 'ambisonic.mkv')
  await writeFile(path, file)
  const { facts, tracks } = await encoded(path)
  expect(facts.audio).toMatchObject([{ ambisonic: true }])
  // Both directions are equal, so that the right channel is silent.
  const detected = ['-i', await joinSegments(tracks[0]?.segments ?? []), '-af', 'pan=mono|c0=c0,volumedetect', '-f', 'null', '-']
  expect(await ffmpeg(['-v', 'info', ...detected])).toMatch(/mean_volume: -9\.\d dB/)
})

describe('encode of a video whose size changes', () => {
  const white = (size: string) => ['-f', 'lavfi', '-i', `color=white:size=${size}:rate=10:duration=2`]
  const sizes = ['160x90', '80x46', '90x160']
  const kinds: [name: string, codec: string[], raw: string][] = [
    ['H.264 in MPEG-TS', [...x264, '-bsf:v', 'h264_mp4toannexb', '-f', 'h264'], 'h264'],
    ['interlaced MPEG-2', ['-vf', 'setfield=tff', '-c:v', 'mpeg2video', '-flags', '+ilme+ildct', '-f', 'mpeg2video'], 'mpegvideo'],
  ]
  it.each(inputs(kinds))('of %s keeps its frames and the shape of each', async (name, codec, format) => {
    const parts = await Promise.all(sizes.map((size) => makeMediaFile(`${size}-white.bin`, [...white(size), ...codec])))
    const joined = ['-fflags', '+genpts', '-r', '10', '-f', format, '-i', `concat:${parts.join('|')}`]
    const path = await makeMediaFile(`sizes-${name.replaceAll(' ', '-')}.ts`, [...joined, ...tone(6), '-c:v', 'copy'])
    const { frames, width, height, at } = await lumaOf(path)
    expect([width, height]).toEqual([160, 90])
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

it('a rotated video whose size changes is refused in words', async () => {
  const parts = await Promise.all(
    ['160x90', '80x46'].map((size) =>
      makeMediaFile(`${size}.h264`, [...picture(size, 10, 2), ...x264, '-bsf:v', 'h264_mp4toannexb', '-f', 'h264']),
    ),
  )
  const joined = ['-fflags', '+genpts', '-r', '10', '-f', 'h264', '-i', `concat:${parts.join('|')}`, '-c', 'copy', '-f', 'mp4']
  const path = join(scratch, 'turned-sizes.mp4')
  await writeFile(path, withMatrix(await readFile(await makeMediaFile('sizes.mp4', joined)), [0, 1, -1, 0]))
  await expect(encoded(path)).rejects.toThrow(/^The frame size of this video changes, and it is stored rotated or mirrored\./)
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
    const path = await makeMediaFile('many-pixels.mp4', ['-f', 'lavfi', '-i', 'color=black:size=4096x2176:rate=240:duration=1', ...x264])
    provide({ MAX_VIDEO_HOURS: '1' })
    expect((await probe(path, never)).durationSec).toBe(1)
    const longer = await makeMediaFile('more-pixels.mp4', ['-stream_loop', '239', '-i', path, '-c', 'copy'])
    await expect(probe(longer, never)).rejects.toThrow(
      /^This video has 513 billion pixels in total \(57,600 frames of 4096×2176\); the maximum is 500 billion\./,
    )
    provide({ MAX_VIDEO_HOURS: '' })
  })
})
