import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { play, writePlaylist } from '../../../testing/media/chunked.ts'
import { encodeFile } from '../../../testing/media/encoded-file.ts'
import { beeps, fastX264, flashes, onsets, playSound, whiteFrames } from '../../../testing/media/marked-media.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { type Edit, withEdits } from '../../../testing/media/movie-boxes.ts'
import { inputs, isShort } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import { probe } from './probe.ts'

provide({ BASE_URL: 'http://localhost' })
const never = new AbortController().signal
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-timeline-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** 10 s with marks at 4 and 8 s. */
const marked = (name = 'marked-10.mkv', more: string[] = []) =>
  makeMediaFile(name, [...flashes(10), ...beeps(10), ...fastX264, '-c:a', 'pcm_s16le', ...more])
/** Returns a file with the same packets. */
const copied = async (name: string, more: string[], from = marked()) => makeMediaFile(name, ['-i', await from, '-c', 'copy', ...more])

async function joined(name: string, parts: readonly string[]): Promise<string> {
  const path = join(scratch, name)
  await writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))))
  return path
}

/** Returns the facts of a file, and the times of the marks in what is encoded, from its start. */
async function shown(path: string) {
  const { plan, renditions, tracks } = await encodeFile(path, { targetQuality: '144p', scratch })
  const folder = await mkdtemp(join(scratch, 'list-'))
  const picture = await play(await writePlaylist(join(folder, 'picture.m3u8'), renditions[0]?.segments ?? []))
  const list = await writePlaylist(join(folder, 'sound.m3u8'), tracks[0]?.segments ?? [])
  const sounds = [await playSound(list), await playSound(list, undefined, 1)]
  // Both have the same offset.
  const [startSec = 0] = picture.times
  const marks = (times: readonly number[]) => times.map((sec) => Math.round((sec - startSec) * 10) / 10)
  return {
    facts: plan.facts,
    frames: picture.frames.length,
    seen: marks(whiteFrames(picture)),
    heard: marks(onsets(sounds[0] as NonNullable<(typeof sounds)[0]>)),
    heardRight: marks(onsets(sounds[1] as NonNullable<(typeof sounds)[0]>)),
    seconds: (sounds[0]?.samples.length ?? 0) / 48_000,
  }
}

const SUBTITLE = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:38,000 --> 00:00:40,000\nBye\n\n').toString('base64')
const withSubtitle = async () =>
  makeMediaFile('long-subtitle.mkv', [
    ...['-i', await marked(), '-f', 'srt', '-i', `data:text/plain;base64,${SUBTITLE}`],
    ...['-map', '0', '-map', '1', '-c', 'copy', '-c:s', 'srt'],
  ])
const late = (packet: number, sec: number) => `pts='PTS+if(eq(N,${packet}),${sec}/TB,0)'`
const wrong = (name: string, kind: 'v' | 'a', change: string) => copied(name, [`-bsf:${kind}`, `setts=${change}`])
const part = async (name: string, from: number, more: string[] = []) =>
  makeMediaFile(name, [
    '-ss',
    String(from),
    '-t',
    '5',
    '-i',
    await marked('marked-10.mp4', ['-c:a', 'aac', '-g', '25']),
    '-c',
    'copy',
    ...more,
  ])
const streamPart = (name: string, from: number, more: string[] = []) => part(name, from, ['-muxdelay', '0', ...more])

describe('a video is as long as its picture and its sound, and in sync,', () => {
  const sources: [string, () => Promise<string>][] = [
    ['with a subtitle that ends later', withSubtitle],
    ['in a part of a recording', () => copied('part.mkv', ['-output_ts_offset', '21'])],
    [
      'in a part of a fragmented recording',
      () => copied('part.mp4', ['-c:a', 'aac', '-output_ts_offset', '21', '-movflags', '+frag_keyframe+empty_moov+default_base_moof']),
    ],
    ['with the time of a frame an hour late', () => wrong('hour.mkv', 'v', late(60, 3_600))],
    [
      'with the time of a frame an hour late in an MP4',
      () => copied('hour.mp4', ['-c:a', 'aac', '-bsf:v', `setts=${late(60, 3_600)}:dts=DTS`]),
    ],
    ['with the time of the first frame early', () => wrong('first.mkv', 'v', `${late(0, -90)}:dts='DTS-if(eq(N,0),90/TB,0)'`)],
    ['with the time of the last frame late', () => wrong('last.mkv', 'v', `${late(249, 90)}:dts='DTS+if(eq(N,249),90/TB,0)'`)],
    ['with the time of a packet of sound late', () => wrong('sound.mkv', 'a', `${late(40, 90)}:dts=DTS`)],
    [
      'with the times of the last packets of sound late',
      () => copied('sound.mp4', ['-c:a', 'aac', '-bsf:a', "setts=pts='PTS+if(gte(N,468),90/TB,0)':dts='DTS+if(gte(N,468),90/TB,0)'"]),
    ],
    [
      'in a transport stream whose clock goes back',
      async () => joined('back.ts', [await streamPart('first.ts', 0), await streamPart('second.ts', 5)]),
    ],
    [
      'in a transport stream whose clock jumps on',
      async () => joined('on.ts', [await streamPart('first.ts', 0), await streamPart('later.ts', 5, ['-output_ts_offset', '500'])]),
    ],
  ]
  it.each(inputs(sources))('%s', async (_name, make) => {
    const { facts, frames, seen, heard, seconds } = await shown(await make())
    expect(facts.durationSec).toBeGreaterThan(9.9)
    expect(facts.durationSec).toBeLessThan(10.1)
    expect(Math.abs(frames - 250)).toBeLessThanOrEqual(2)
    expect(seconds).toBeCloseTo(10, 0)
    expect(seen.map((sec) => Math.abs(sec - (sec < 6 ? 4 : 8)) < 0.11)).toEqual([true, true])
    expect(heard).toEqual(seen.map((sec) => expect.closeTo(sec, 0)))
    expect(heard.map((sec, at) => Math.abs(sec - (seen[at] ?? 0)) < 0.11)).toEqual([true, true])
  })
})

describe('a film whose edit list cuts within long groups of pictures is as long as what it shows:', () => {
  /** Parts of 10 s with marks at 4 and 8 s. */
  const cuts: [string, Edit[], { seconds: number; marks: number[] }][] = [
    ['its start', [{ fromSec: 0, sec: 5 }], { seconds: 5, marks: [4] }],
    ['its middle', [{ fromSec: 3, sec: 3 }], { seconds: 3, marks: [1] }],
    [
      'two parts',
      [
        { fromSec: 1, sec: 4 },
        { fromSec: 7, sec: 2 },
      ],
      { seconds: 6, marks: [3, 5] },
    ],
  ]
  it.each(inputs(cuts))('%s', async (name, edits, right) => {
    const whole = await marked('one-group.mp4', ['-c:a', 'aac', '-g', '250', '-tune', 'zerolatency'])
    const path = join(scratch, `${name}.mp4`)
    await writeFile(path, withEdits(await readFile(whole), edits))
    const { facts, frames, seen, heard } = await shown(path)
    expect(facts.durationSec).toBeCloseTo(right.seconds, 1)
    expect(facts.audio[0]?.endsEarlySec).toBe(0)
    expect(Math.abs(frames - right.seconds * 25)).toBeLessThanOrEqual(1)
    expect(seen).toEqual(right.marks)
    expect(heard).toEqual(right.marks.map((sec) => expect.closeTo(sec, 0)))
  })
})

it.skipIf(isShort)('a recording with pauses keeps the rate and the frames of its bursts', async () => {
  const bursts = ['-vf', "select='lt(t,2)+between(t,7.9,8.4)'", '-fps_mode', 'vfr']
  const path = await makeMediaFile('pauses.mp4', [...flashes(12), ...beeps(12), ...fastX264, ...bursts, '-c:a', 'aac'])
  const { facts, seen, heard } = await shown(path)
  expect(facts.frameRate.text).toBe('25')
  expect(seen).toEqual([8])
  expect(heard).toEqual([4, 8])
})

describe('a track keeps both channels, and in sync, where it changes from', () => {
  /** Four seconds of beeps as AC-3, whose frames have 32 ms. */
  const sound = (fromSec: number, channels: string, rate = 48_000) =>
    makeMediaFile(`${fromSec}.ac3`, [
      ...beeps(12),
      ...['-af', `atrim=${fromSec}:${fromSec + 4},asetpts=PTS-STARTPTS,pan=${channels}`, '-ar', String(rate), '-c:a', 'ac3'],
    ])
  const changing = async (name: string, parts: Promise<string>[]) => {
    const path = await joined(`${name}.ac3`, await Promise.all(parts))
    const into = join(scratch, `${name}.mkv`)
    const picture = await makeMediaFile('marked-12.mkv', [...flashes(12), ...fastX264])
    const { ffmpeg } = await import('../../../platform/ffmpeg/ffmpeg.ts')
    await ffmpeg(['-i', picture, '-f', 'ac3', '-i', path, '-map', '0', '-map', '1', '-c', 'copy', into])
    return into
  }
  const MONO = 'mono|c0=c0'
  const STEREO = 'stereo|c0=c0|c1=c0'
  const SURROUND = '5.1|c0=c0|c1=c0|c2=c0'
  it.each(
    inputs<[string, () => Promise<string>]>([
      ['mono to stereo', () => changing('mono', [sound(0, MONO), sound(4, STEREO), sound(8, STEREO)])],
      ['stereo to 5.1 and back', () => changing('surround', [sound(0, STEREO), sound(4, SURROUND), sound(8, STEREO)])],
      ['44.1 to 48 kHz', () => changing('rate', [sound(0, STEREO, 44_100), sound(4, STEREO), sound(8, STEREO)])],
    ]),
  )('%s', async (_name, make) => {
    const { facts, seen, heard, heardRight, seconds } = await shown(await make())
    expect(facts.durationSec).toBeCloseTo(12, 0)
    expect(seconds).toBeCloseTo(12, 0)
    expect(seen).toEqual([4, 8])
    for (const times of [heard, heardRight]) expect(times.map((sec, at) => Math.abs(sec - (seen[at] ?? 0)) < 0.11)).toEqual([true, true])
  })
})

describe('probe refuses, with a reason for the owner,', () => {
  it.each<[string, () => Promise<string>]>([
    ['an MP4 that is cut off', () => copied('index-first.mp4', ['-c:a', 'aac', '-movflags', '+faststart'])],
    ['a Matroska file that is cut off', marked],
  ])('%s', async (name, make) => {
    const whole = await make()
    const path = await joined(name, [whole])
    await truncate(path, Math.round((await stat(whole)).size * 0.55))
    await expect(probe(path, never)).rejects.toThrow(/^The video file is incomplete: only 0:0[3-7] of 0:10 could be read\./)
  })

  it('recordings that were joined byte by byte, of which the second would not be shown', async () => {
    const webm = ['-c:a', 'libopus', '-live', '1', '-f', 'matroska']
    const path = await joined('joined.mkv', [await part('one.mkv', 0, webm), await part('two.mkv', 5, webm)])
    await expect(probe(path, never)).rejects.toThrow(/^The timestamps in this file go back at 0:05, .* Join them in a video editor/)
  })
})
