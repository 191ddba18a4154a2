import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ffmpeg, ffprobe } from '../../../platform/ffmpeg/ffmpeg.ts'
import { hasFilter } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { type EncodedFile, encodeFile, joinFile, joinSegments, secondsOf } from '../../../testing/media/encoded-file.ts'
import { makeMediaFile, shortClip } from '../../../testing/media/media-files.ts'
import { inputs, isShort } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import { planOf } from '../plan/plan-video.ts'
import { chunkArguments } from './chunk-arguments.ts'
import { segmentFolder } from './segment-files.ts'

provide({ BASE_URL: 'http://localhost' })
const never = new AbortController().signal
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-real-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const picture = (size = '320x180', seconds = 2, rate = 25) => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`,
]
const tone = (seconds = 2, hz = 440) => ['-f', 'lavfi', '-i', `sine=frequency=${hz}:sample_rate=48000:duration=${seconds}`]
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const x265 = (more: string) => ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', `log-level=none:${more}`]
const light = (transfer: string) => ({
  args: [
    ...['-vf', `format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=${transfer}:colorspace=bt2020nc`],
    ...x265(`colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`),
  ],
})

interface Out extends EncodedFile {
  path: string
  seconds: number
}

/** What was encoded, by path of the source: several tests look at some files. */
const encodedFiles = new Map<string, Promise<Out>>()

/** Returns the lowest rendition of a file with its default track as one MPEG-TS. */
async function shown(path: string): Promise<Out> {
  const out = encodedFiles.get(path) ?? encode(path)
  encodedFiles.set(path, out)
  return out
}

async function encode(path: string): Promise<Out> {
  const encoded = await encodeFile(path, { targetQuality: '240p', scratch })
  return { ...encoded, path: await joinFile(encoded), seconds: secondsOf(encoded.renditions.at(-1)?.segments ?? []) }
}

interface Stream {
  codec_type: string
  codec_name: string
  profile?: string
  width?: number
  height?: number
  pix_fmt?: string
  sample_aspect_ratio?: string
  color_transfer?: string
  field_order?: string
  channels?: number
  start_time?: string
  duration?: string
  nb_read_frames?: string
}
async function streams(path: string): Promise<{ video: Stream; audio: Stream | undefined }> {
  const all = ((await ffprobe(path)).found as { streams: Stream[] }).streams
  return { video: all.find((one) => one.codec_type === 'video') as Stream, audio: all.find((one) => one.codec_type === 'audio') }
}
/** Average luma of a file's frames, from 0 to 255 each. */
async function lumas(path: string, filters = 'null'): Promise<number[]> {
  const output = await ffmpeg([
    '-v',
    'info',
    '-i',
    path,
    '-vf',
    `${filters},scale=out_range=tv,format=yuv420p,signalstats,metadata=print:key=lavfi.signalstats.YAVG`,
    '-an',
    '-f',
    'null',
    '-',
  ])
  return [...output.matchAll(/YAVG=([\d.]+)/g)].map(([, value]) => Number(value))
}
const average = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
/** Mean volume of a track of a file in dB. */
async function volume(path: string, { seconds = [0, 99], track = 0 } = {}): Promise<number> {
  const cut = `atrim=${seconds[0]}:${seconds[1]},volumedetect`
  const output = await ffmpeg(['-v', 'info', '-i', path, '-map', `0:a:${track}`, '-af', `asetpts=PTS-STARTPTS,${cut}`, '-f', 'null', '-'])
  return Number(/mean_volume: (-?[\d.]+) dB/.exec(output)?.[1] ?? Number.NaN)
}

const SOURCES: [name: string, file: string, args: string[], size: string, seconds: number][] = [
  ['in HDR10', 'hdr10.mp4', [...picture(), ...light('smpte2084').args], '320x180', 2],
  ['turned upright by its metadata', 'turned.mp4', ['-display_rotation', '90', '-i', 'SHORT', '-c', 'copy', '-t', '2'], '240x426', 2],
  ['filmed upright', 'upright.mp4', [...picture('360x640'), ...tone(), ...x264], '240x426', 2],
  ['in ten bits', 'ten.mp4', [...picture(), '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le'], '320x180', 2],
  ['in the full range of values', 'range.mp4', [...picture(), '-vf', 'scale=out_range=pc', ...x264, '-color_range', 'pc'], '320x180', 2],
  [
    'from a browser, with wandering frames',
    'wander.webm',
    [
      ...picture('320x180', 3, 30),
      ...tone(3),
      '-vf',
      'select=gt(random(1)\\,0.4)',
      '-fps_mode',
      'vfr',
      '-c:v',
      'libvpx',
      '-deadline',
      'realtime',
      '-c:a',
      'libopus',
    ],
    '320x180',
    3,
  ],
  [
    'interlaced',
    'lines.ts',
    [...picture('352x288', 2), '-c:v', 'mpeg2video', '-flags', '+ilme+ildct', '-vf', 'setfield=tff', '-top', '1'],
    '294x240',
    2,
  ],
  ['of a fifth of a second', 'blink.mp4', [...picture('320x180', 0.2), ...tone(0.2), ...x264], '320x180', 0.2],
  ['with sound that begins late', 'late-sound.mkv', [...picture('320x180', 4), '-itsoffset', '1.5', ...tone(2.5), ...x264], '320x180', 4],
  [
    'with a picture that begins late',
    'late-picture.mkv',
    ['-itsoffset', '1.5', ...picture('320x180', 2.5), ...tone(4), ...x264],
    '320x180',
    4,
  ],
  ['with sound that goes on after the picture', 'long-sound.mp4', [...picture('320x180', 2), ...tone(5), ...x264], '320x180', 5],
  ['with sound that ends early', 'short-sound.mp4', [...picture('320x180', 5), ...tone(2), ...x264], '320x180', 5],
  ['in HLG', 'hlg.mp4', [...picture(), ...light('arib-std-b67').args], '320x180', 2],
]

/** Sources whose size, pixels and sound are those of others here or in encode.process.test.ts. */
const ALIKE: typeof SOURCES = [
  ['turned upside down', 'down.mp4', ['-display_rotation', '180', '-i', 'SHORT', '-c', 'copy', '-t', '2'], '426x240', 2],
  ['of odd sides', 'odd.mkv', [...picture('320x200'), '-vf', 'scale=323:183,setsar=1,format=yuv444p', '-c:v', 'ffv1'], '322x182', 2],
  ['with wide pixels', 'wide.mp4', [...picture('360x288'), ...x264, '-vf', 'setsar=16/11'], '436x240', 2],
  ['without sound', 'silent.mp4', [...picture(), ...x264], '320x180', 2],
  ['in 4:4:4', 'full.mp4', [...picture(), '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv444p'], '320x180', 2],
]

describe('encode of a video', () => {
  it.each(inputs(SOURCES, ALIKE))(
    '%s keeps its length, orientation and aspect ratio, in a widely supported format',
    async (_name, file, args, size, seconds) => {
      const short = await shortClip()
      const made = await makeMediaFile(
        file,
        args.map((arg) => (arg === 'SHORT' ? short : arg)),
      )
      const out = await shown(made)
      const { video, audio } = await streams(out.path)
      expect(`${video.width}x${video.height}`).toBe(size)
      expect(video).toMatchObject({ codec_name: 'h264', profile: 'High', pix_fmt: 'yuv420p', sample_aspect_ratio: '1:1' })
      expect(video.field_order ?? 'progressive').toBe('progressive')
      expect(Math.abs(out.seconds - seconds)).toBeLessThan(0.15)
      expect([audio !== undefined, out.tracks.length]).toEqual(
        args.join(' ').includes('sine=') || args.includes('SHORT') ? [true, 1] : [false, 0],
      )
      if (!audio) return
      expect(audio).toMatchObject({ codec_name: 'aac', profile: 'LC', channels: 2 })
      // Both streams begin and end together, whatever the source did: players stall where one of them is missing.
      expect(Math.abs(Number(audio.start_time) - Number(video.start_time))).toBeLessThan(0.1)
      expect(Math.abs(Number(audio.duration) - Number(video.duration))).toBeLessThan(0.25)
      expect(Math.abs(secondsOf(out.tracks[0]?.segments ?? []) - seconds)).toBeLessThan(0.25)
    },
  )
})

it.skipIf(isShort)('rotates the picture in the direction of its metadata', async () => {
  // Left half white. Rotated by 90° counter-clockwise, as phones store it, that is the lower half.
  const half = ['-f', 'lavfi', '-i', 'color=black:size=320x180:rate=25:duration=1', '-vf', 'drawbox=0:0:160:180:white:fill', ...x264]
  const flat = await makeMediaFile('half.mp4', half)
  const turned = await makeMediaFile('half-turned.mp4', ['-display_rotation', '90', '-i', flat, '-c', 'copy'])
  const out = (await shown(turned)).path
  const [upper, lower] = [average(await lumas(out, 'crop=iw:ih/2:0:0')), average(await lumas(out, 'crop=iw:ih/2:0:ih/2'))]
  expect([upper < 40, lower > 200]).toEqual([true, true])
})

it.skipIf(isShort)('delays sound that begins late with silence', async () => {
  const out = await shown(await makeMediaFile('late-sound.mkv', SOURCES.find(([, file]) => file === 'late-sound.mkv')?.[2] ?? []))
  expect(await volume(out.path, { seconds: [0, 1.3] })).toBeLessThan(-70)
  expect(await volume(out.path, { seconds: [1.7, 3.5] })).toBeGreaterThan(-30)
})

it.skipIf(isShort)('shows the first frame until a late picture begins', async () => {
  const args = ['-itsoffset', '2', '-f', 'lavfi', '-i', 'color=white:size=320x180:rate=25:duration=2', ...tone(4), ...x264]
  const seen = await lumas((await shown(await makeMediaFile('late-white.mkv', args))).path)
  expect(seen.length).toBeGreaterThan(95)
  expect(Math.min(...seen)).toBeGreaterThan(200)
})

describe.skipIf(isShort)('encode of sound', () => {
  const SOUNDS = [
    ['mono', 'anull'],
    ['quiet', 'volume=-20dB'],
    ['stereo', 'pan=stereo|c0=c0|c1=c0'],
    ['on the left', 'pan=stereo|c0=c0|c1=0*c0'],
  ] as const
  /** A file with a track of each. */
  const source = () => {
    const filters = SOUNDS.map(([, filter], at) => `[1:a]${filter}[s${at}]`).join(';')
    const maps = SOUNDS.flatMap((_, at) => ['-map', `[s${at}]`])
    return makeMediaFile('sounds.mkv', [
      ...[...picture(), ...tone(2), '-filter_complex', filters],
      ...['-map', '0:v', ...maps, ...x264, '-c:a', 'pcm_s16le'],
    ])
  }
  /** Returns the path of an encoded track of the file. */
  const heard = async (track: number) => joinSegments((await shown(await source())).tracks[track]?.segments ?? [])

  it.each([0, 1, 2])('keeps the loudness of track %i: mono, quiet, stereo', async (track) => {
    const expected = await volume(await source(), { track })
    expect(Math.abs((await volume(await heard(track))) - expected)).toBeLessThan(1)
  })

  it('keeps the left channel on the left', async () => {
    const out = await heard(3)
    const only = async (channel: number) => {
      const output = await ffmpeg(['-v', 'info', '-i', out, '-vn', '-af', `pan=mono|c0=c${channel},volumedetect`, '-f', 'null', '-'])
      return Number(/mean_volume: (-?[\d.]+) dB/.exec(output)?.[1])
    }
    expect([(await only(0)) > -30, (await only(1)) < -60]).toEqual([true, true])
  })

  it('selects the default one of several tracks', async () => {
    const tracks = ['-map', '0', '-map', '1', '-map', '2', '-disposition:a:0', '0', '-disposition:a:1', 'default']
    const path = await makeMediaFile('tracks.mkv', [...picture(), ...tone(2, 300), ...tone(2, 3_000), ...tracks, ...x264])
    const { path: out, tracks: encoded } = await shown(path)
    const band = async (hz: number, file = out) => {
      const output = await ffmpeg([
        '-v',
        'info',
        '-i',
        file,
        '-vn',
        '-af',
        `bandpass=f=${hz}:width_type=h:w=100,volumedetect`,
        '-f',
        'null',
        '-',
      ])
      return Number(/mean_volume: (-?[\d.]+) dB/.exec(output)?.[1])
    }
    expect((await band(3_000)) - (await band(300))).toBeGreaterThan(20)
    // The other one is kept, as a track to choose.
    expect(encoded).toHaveLength(2)
    const first = await joinSegments(encoded[0]?.segments ?? [])
    expect((await band(300, first)) - (await band(3_000, first))).toBeGreaterThan(20)
  })
})

describe('encode of HDR video', () => {
  it('converts it to SDR and tags it so', async () => {
    const path = await makeMediaFile('hdr10.mp4', [...picture(), ...light('smpte2084').args])
    const out = await shown(path)
    expect(out.plan.facts.hdr).toBe('pq')
    expect((await streams(out.path)).video).toMatchObject({ pix_fmt: 'yuv420p', color_transfer: 'bt709', color_primaries: 'bt709' })
  })

  // White of paper (203 nits, BT.2408) and a dark grey (27 nits) as ten-bit luma; the expected output follows from the standards'
  // curves (ST 2084, BT.2100), the Hable curve with 1,000 nits as its white, and a screen's gamma of 2.4.
  it.each(
    inputs([
      ['PQ', 'smpte2084', 573],
      ['HLG', 'arib-std-b67', 721],
    ] as const),
  )('of %s (%s) is as bright as it should be: %i becomes 182, and 400 becomes 100', async (_name, transfer, white) => {
    const halves = `geq=lum='if(lt(X,W/2),${white},400)':cb=512:cr=512`
    const patch = ['-f', 'lavfi', '-i', `color=size=320x180:rate=5:duration=1,format=yuv420p10le,${halves}`]
    const path = await makeMediaFile(`patches-${transfer}.mp4`, [...patch, ...light(transfer).args])
    const out = (await shown(path)).path
    expect(Math.abs(average(await lumas(out, 'crop=128:ih:0:0')) - 182)).toBeLessThanOrEqual(5)
    expect(Math.abs(average(await lumas(out, 'crop=128:ih:iw-128:0')) - 100)).toBeLessThanOrEqual(5)
  })

  it.runIf(hasFilter('zscale'))('gives a similar picture where ffmpeg lacks the exact filters', async () => {
    // Greys from black to 1,000 nits.
    const greys = "color=size=320x180:rate=5:duration=1,format=yuv420p,geq=lum='16+X/W*165':cb=128:cr=128"
    const path = await makeMediaFile('hdr-greys.mp4', ['-f', 'lavfi', '-i', greys, ...light('smpte2084').args])
    const plan = await planOf(path, '240p', never)
    const looks = await Promise.all(
      [true, false].map(async (exactTones) => {
        const folder = await mkdtemp(join(scratch, 'tones-'))
        const segments = segmentFolder(folder, plan.renditions[0]?.quality ?? '')
        await mkdir(segments)
        for (const chunk of plan.chunks)
          await ffmpeg(chunkArguments({ source: path, folder, plan, chunk, threads: 2, encoder: 'x264', exactTones }))
        return average(await lumas(join(segments, '00000.ts')))
      }),
    )
    expect(Math.abs((looks[0] ?? 0) - (looks[1] ?? 255))).toBeLessThan(5)
  })
})
