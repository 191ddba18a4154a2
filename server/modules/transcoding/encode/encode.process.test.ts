import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ffmpeg, ffprobe } from '../../../platform/ffmpeg/ffmpeg.ts'
import { encodeFile, joinSegments } from '../../../testing/media/encoded-file.ts'
import { makeMediaFile, shortClip } from '../../../testing/media/media-files.ts'
import { rounds } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import type { EncodedRendition, EncodedSegment } from './encoded.ts'

provide({ BASE_URL: 'http://localhost' })
const picture = (size: string, seconds: number, rate = 25) => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`,
]
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-encode-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const encoded = (path: string) => encodeFile(path, { targetQuality: '2160p', scratch })

interface Stream {
  codec_type: string
  width?: number
  height?: number
  sample_aspect_ratio?: string
  channels?: number
  sample_rate?: string
}
const streamsOf = async ([first]: readonly EncodedSegment[]) => ((await ffprobe(first?.path ?? '')).found as { streams: Stream[] }).streams

/** Returns the times of key frames, in seconds from the start, over all segments of a rendition. */
async function keyFrameTimes({ segments }: EncodedRendition): Promise<string[]> {
  const times: string[] = []
  const show = [
    '-skip_frame',
    'nokey',
    '-i',
    await joinSegments(segments),
    '-vf',
    'showinfo',
    '-an',
    '-fps_mode',
    'passthrough',
    '-f',
    'null',
    '-',
  ]
  const output = await ffmpeg(['-v', 'info', ...show])
  for (const [, time] of output.matchAll(/pts_time:([\d.]+)/g)) if (time) times.push(time)
  return times
}

describe('encode', () => {
  const sources: [name: string, file: string, args: string[], sizes: string[]][] = [
    ['an upright phone clip', 'rotated.mp4', ['-display_rotation', '90', '-i', 'SHORT', '-c', 'copy', '-t', '1'], ['360x640', '240x426']],
    ['wide pixels', 'pal.mp4', [...picture('720x576', 0.4), ...x264, '-vf', 'setsar=16/11'], ['1046x576', '872x480', '654x360', '436x240']],
    ['odd sides', 'odd.mkv', [...picture('640x360', 1), '-vf', 'scale=321:181,setsar=1,format=yuv444p', '-c:v', 'ffv1'], ['320x180']],
    ['a narrow strip', 'strip.mp4', [...picture('640x16', 1), ...x264], ['640x16']],
    [
      'interlaced lines',
      'lines.mpg',
      [...picture('352x288', 1), '-c:v', 'mpeg2video', '-flags', '+ilme+ildct', '-vf', 'setfield=tff', '-top', '1'],
      ['352x288', '294x240'],
    ],
  ]
  it.each(sources)('encodes %s with even sides, square pixels and the right aspect ratio', async (_name, file, args, sizes) => {
    const short = await shortClip()
    const { renditions } = await encoded(
      await makeMediaFile(
        file,
        args.map((arg) => (arg === 'SHORT' ? short : arg)),
      ),
    )
    const seen = await Promise.all(
      renditions.map(async ({ segments }) => {
        const streams = await streamsOf(segments)
        expect(streams.map((one) => one.codec_type)).toEqual(['video'])
        return streams[0]
      }),
    )
    expect(seen.map((one) => `${one?.width}x${one?.height}`)).toEqual(sizes)
    for (const one of seen) expect(one?.sample_aspect_ratio).toBe('1:1')
    for (const { codecs } of renditions) expect(codecs).toMatch(/^avc1\.[0-9a-f]{6}/)
  })
})

it('encodes surround sound as stereo AAC and adds no sound to a silent video', async () => {
  const surround = ['-f', 'lavfi', '-i', 'sine=duration=1', '-af', 'pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0', '-c:a', 'ac3']
  const loud = await encoded(await makeMediaFile('surround.mkv', [...picture('320x180', 1), ...surround, ...x264]))
  const [track] = loud.tracks
  expect(loud.tracks).toHaveLength(1)
  expect(await streamsOf(track?.segments ?? [])).toMatchObject([{ codec_type: 'audio', channels: 2, sample_rate: '48000' }])
  expect(track?.codecs).toBe('mp4a.40.2')
  for (const { codecs } of loud.renditions) expect(codecs).not.toContain('mp4a')
  const silent = await encoded(await makeMediaFile('silent.mp4', [...picture('160x120', 1), ...x264]))
  expect(silent.tracks).toEqual([])
  expect((await streamsOf(silent.renditions[0]?.segments ?? [])).map((one) => one.codec_type)).toEqual(['video'])
  expect(silent.renditions[0]?.codecs).not.toContain('mp4a')
})

it.each([
  ['floating point', ['-c:a', 'ac3', '-b:a', '448k']],
  ['whole numbers', ['-c:a', 'pcm_s16le']],
])('keeps the loudness of surround sound independent of its samples being %s', async (name, codec) => {
  // Speech in the centre, quieter sound around it; the expected value follows ITU-R BS.775.
  const voices =
    'aevalsrc=0.05*sin(330*2*PI*t)|0.05*sin(440*2*PI*t)|0.3*sin(550*2*PI*t)|0|0.05*sin(660*2*PI*t)|0.05*sin(770*2*PI*t):c=5.1:d=2:s=48000'
  const path = await makeMediaFile(`surround-${codec[1]}.mkv`, [...picture('320x180', 2), '-f', 'lavfi', '-i', voices, ...codec, ...x264])
  const volume = async (input: string, filter: string) => {
    const output = await ffmpeg(['-v', 'info', '-i', input, '-vn', '-af', `${filter},volumedetect`, '-f', 'null', '-'])
    return Number(/mean_volume: (-?[\d.]+) dB/.exec(output)?.[1] ?? Number.NaN)
  }
  const [track] = (await encoded(path)).tracks
  const out = await volume(track?.segments[0]?.path ?? '', 'anull')
  const byHand = 'pan=stereo|c0=c0+0.7071*c2+0.7071*c4|c1=c1+0.7071*c2+0.7071*c5'
  expect(Math.abs(out - (await volume(path, `aformat=sample_fmts=fltp,${byHand}`))), name).toBeLessThan(1)
})

it('places key frames every 2 s and at equal times in every rendition, also for a variable frame rate', async () => {
  // Frames dropped at random: a non-standard average rate, and gaps.
  const wandering = [...picture('640x360', 9, 30), '-vf', 'select=gt(random(1)\\,0.3)', '-fps_mode', 'vfr', ...x264]
  const { renditions } = await encoded(await makeMediaFile('wandering.mkv', wandering))
  expect(renditions).toHaveLength(2)
  const [first, second] = await Promise.all(renditions.map(keyFrameTimes))
  expect(first?.length).toBe(5)
  expect(second).toEqual(first)
  expect(renditions[0]?.segments.map((one) => one.durationSec.toFixed(1)).slice(0, 2)).toEqual(['4.0', '4.0'])
})

it('reports increasing progress of each chunk', async () => {
  const reports = new Map<number, number[]>()
  const long = await makeMediaFile('long.mp4', [...picture('426x240', rounds(22, 60)), ...x264, '-g', '100'])
  const onProgress = (share: number, chunk: number) => reports.set(chunk, [...(reports.get(chunk) ?? []), share])
  const { plan } = await encodeFile(long, { targetQuality: '240p', scratch, onProgress })
  expect(plan.chunks.length).toBeGreaterThan(1)
  expect([...reports.keys()]).toEqual(plan.chunks.map(({ position }) => position))
  for (const shares of reports.values()) {
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true)
    expect(shares.at(-1)).toBe(1)
  }
})
