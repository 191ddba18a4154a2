import { copyFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dolbyVision } from '../../../testing/media/dolby-vision.ts'
import { makeMediaFile, shortClip } from '../../../testing/media/media-files.ts'
import { inputs } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import { sampleClipArguments } from '../quality/sample-clip.ts'
import { probe } from './probe.ts'

provide({ BASE_URL: 'http://localhost' })
const never = new AbortController().signal
const picture = (size: string, seconds = 1, rate = 25) => ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`]
const blank = (size: string) => ['-f', 'lavfi', '-i', `color=size=${size}:rate=1:duration=2`]
const tone = ['-f', 'lavfi', '-i', 'sine=duration=1']
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-probe-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

describe('probe', () => {
  it('returns the facts of an ordinary clip', async () => {
    expect(await probe(await shortClip(), never)).toEqual({
      durationSec: 9,
      container: 'mov,mp4,m4a,3gp,3g2,mj2',
      width: 640,
      height: 360,
      frameRate: { text: '15', value: 15 },
      interlaced: false,
      hdr: undefined,
      colors: { primaries: 'smpte170m', transfer: 'smpte170m', matrix: 'smpte170m', rgb: false },
      coding: {
        ...{ codec: 'h264', profile: 'High', level: 22, pixelFormat: 'yuv420p', progressive: true, squarePixels: true, rotated: false },
        codedSize: { width: 640, height: 360 },
      },
      videoStream: 0,
      audio: [{ stream: 1, language: null, name: 'Track 1', isDefault: true, mono: true, endsEarlySec: 0 }],
      pictureEndsEarlySec: 0,
    })
  })

  const SIZES: [string, string, string[], { width: number; height: number }][] = [
    [
      'a clip turned upright',
      'rotated.mp4',
      ['-display_rotation', '90', '-i', 'SHORT', '-c', 'copy', '-t', '1'],
      { width: 360, height: 640 },
    ],
    [
      'a clip turned upside down',
      'down.mp4',
      ['-display_rotation', '180', '-i', 'SHORT', '-c', 'copy', '-t', '1'],
      { width: 640, height: 360 },
    ],
    ['wide pixels', 'wide.mp4', [...picture('720x576'), ...x264, '-vf', 'setsar=16/11'], { width: 1047, height: 576 }],
    ['narrow pixels', 'narrow.mkv', [...picture('720x480'), ...x264, '-vf', 'setsar=8/9'], { width: 640, height: 480 }],
    [
      'odd sides',
      'odd.mkv',
      [...picture('640x360'), '-vf', 'scale=321:181,setsar=1,format=yuv444p', '-c:v', 'ffv1'],
      { width: 321, height: 181 },
    ],
  ]
  it.each(inputs(SIZES))('returns the displayed size of %s', async (_name, file, args, size) => {
    const short = await shortClip()
    const path = await makeMediaFile(
      file,
      args.map((arg) => (arg === 'SHORT' ? short : arg)),
    )
    expect(await probe(path, never)).toMatchObject(size)
  })

  it('measures the duration of a recording that does not state it', { tags: ['deep'] }, async () => {
    const path = await makeMediaFile('live.webm', [...picture('160x120', 3), '-c:v', 'libvpx', '-b:v', '100k', '-live', '1', '-f', 'webm'])
    const { durationSec } = await probe(path, never)
    expect(durationSec).toBeGreaterThan(2.8)
    expect(durationSec).toBeLessThan(3.2)
  })

  it('detects interlaced video', async () => {
    const path = await makeMediaFile('lines.mpg', [
      ...picture('352x288'),
      '-c:v',
      'mpeg2video',
      '-flags',
      '+ilme+ildct',
      '-vf',
      'setfield=tff',
      '-top',
      '1',
    ])
    expect((await probe(path, never)).interlaced).toBe(true)
  })

  it.each([
    ['sound', 3, 1, { pictureEndsEarlySec: 0, audio: [{ endsEarlySec: 2 }] }],
    ['picture', 1, 3, { pictureEndsEarlySec: 2, audio: [{ endsEarlySec: 0 }] }],
  ])('measures by how much the %s ends early', { tags: ['deep'] }, async (_name, pictureSec, soundSec, expected) => {
    const sound = ['-f', 'lavfi', '-i', `sine=sample_rate=48000:duration=${soundSec}`, '-c:a', 'pcm_s16le']
    const path = await makeMediaFile('ends.mov', [...picture('160x120', pictureSec), ...sound, ...x264])
    expect(await probe(path, never)).toMatchObject(expected)
  })

  it('detects that there is no sound', async () => {
    const path = await makeMediaFile('silent.mp4', [...picture('160x120'), ...x264])
    expect(await probe(path, never)).toMatchObject({ audio: [] })
  })

  it('returns all tracks of sound with language, name and missing seconds', async () => {
    const sounds = [4, 4, 2].flatMap((seconds) => ['-f', 'lavfi', '-i', `sine=duration=${seconds}`])
    const tags = ['language=ger', 'language=eng', 'title=Commentary'].flatMap((tag, at) => [`-metadata:s:a:${at}`, tag])
    const chosen = ['-disposition:a:0', '0', '-disposition:a:1', 'default', '-disposition:a:2', '0']
    const maps = ['-map', '0', '-map', '1', '-map', '2', '-map', '3']
    const path = await makeMediaFile('languages.mkv', [...picture('160x120', 4), ...sounds, ...maps, ...tags, ...chosen, ...x264])
    const { audio } = await probe(path, never)
    expect(audio.map(({ endsEarlySec, ...rest }) => ({ ...rest, missing: Math.round(endsEarlySec) }))).toEqual([
      { stream: 1, language: 'de', name: 'German', isDefault: false, mono: true, missing: 0 },
      { stream: 2, language: 'en', name: 'English', isDefault: true, mono: true, missing: 0 },
      { stream: 3, language: null, name: 'Commentary', isDefault: false, mono: true, missing: 2 },
    ])
  })
})

describe('probe refuses, with a reason for the owner,', () => {
  const made: Record<string, [file: string, args: string[], words: RegExp]> = {
    'sound alone': ['tone.mp4', [...tone, '-c:a', 'aac'], /^This file contains audio but no video\.$/],
    'sound with a cover': [
      'cover.m4a',
      [
        ...tone,
        ...picture('64x64'),
        '-map',
        '0',
        '-map',
        '1',
        '-c:a',
        'aac',
        '-c:v',
        'mjpeg',
        '-frames:v',
        '1',
        '-disposition:v:0',
        'attached_pic',
        '-f',
        'mp4',
      ],
      /^This file contains audio but no video\.$/,
    ],
    'a picture in a video box': ['still.mp4', [...picture('160x120'), ...x264, '-frames:v', '1'], /^This file is a still image/],
    'a huge picture': ['huge.mp4', [...blank('4500x4500'), ...x264], /^The resolution \(4500×4500\) exceeds/],
    'a huge picture of a size that only decoding tells': [
      'huge.mkv',
      [...blank('4500x4500'), '-c:v', 'mpeg4'],
      /^The resolution \(4500×4500\) exceeds/,
    ],
  }
  it.each(Object.entries(made))('%s', async (_name, [file, args, words]) => {
    await expect(probe(await makeMediaFile(file, args), never)).rejects.toThrow(words)
  })

  it('a video truncated before its index', async () => {
    const path = join(scratch, 'cut.mp4')
    const late = await makeMediaFile('late-index.mp4', [...picture('320x180', 2), ...x264])
    await copyFile(late, path)
    await truncate(path, Math.floor((await stat(late)).size / 2))
    await expect(probe(path, never)).rejects.toThrow(/^The video file is incomplete: the index/)
  })

  it('a video that is too long', async () => {
    provide({ MAX_VIDEO_HOURS: '1' })
    const path = await makeMediaFile('endless.mp4', [...picture('16x16', 3_700, 1), ...x264])
    await expect(probe(path, never)).rejects.toThrow(/^The video is longer than the maximum of 1 hour\./)
    provide({ MAX_VIDEO_HOURS: '' })
  })

  const DASH = `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"
    mediaPresentationDuration="PT1S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1">
    <BaseURL>http://127.0.0.1:9/x.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`
  it.each<[string, (other: string) => string]>([
    ['text', () => 'not a video '.repeat(40)],
    ['a page', () => '<!doctype html><title>x</title>'.padEnd(900)],
    ['an HLS playlist of another file', (other) => `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${other}\n#EXT-X-ENDLIST\n`],
    ['a list that joins other files', (other) => `ffconcat version 1.0\nfile '${other}'\n`],
    ['a DASH manifest', () => DASH],
    ['an image sequence by name', (other) => `![](${other})`],
  ])('%s', async (name, content) => {
    const path = join(scratch, `${name.replaceAll(' ', '-')}.mp4`)
    await writeFile(path, content(await shortClip()))
    await expect(probe(path, never)).rejects.toThrow(/^This file is not a video\.$/)
  })

  it('a video truncated within its index', async () => {
    const path = join(scratch, 'noise.mp4')
    const whole = await makeMediaFile('whole.mp4', sampleClipArguments({ seconds: 10, width: 320, height: 180, rate: 25 }))
    await copyFile(whole, path)
    await truncate(path, 2_000)
    await expect(probe(path, never)).rejects.toThrow(/^The video file is (incomplete|damaged)/)
  })
})

it.each([
  [5, 0, /^This video is in Dolby Vision profile 5, whose colors cannot be converted/],
  [8, 1, undefined],
  [8, 4, undefined],
])(
  'probe reads Dolby Vision profile %i with base layer %i where its colours are known, and otherwise refuses it with a reason',
  { tags: ['deep'] },
  async (profile, kind, words) => {
    const x265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-tag:v', 'hvc1', '-pix_fmt', 'yuv420p10le']
    const hevc = await readFile(await makeMediaFile('hevc.mp4', [...picture('320x180'), ...x265]))
    const path = join(scratch, `dolby-${profile}-${kind}.mp4`)
    await writeFile(path, dolbyVision(hevc, profile, kind))
    const read = probe(path, never)
    if (words) await expect(read).rejects.toThrow(words)
    else expect(await read).toMatchObject({ width: 320, height: 180 })
  },
)
