import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { provide } from '../../../testing/settings.ts'
import { probe } from './probe.ts'

provide({ BASE_URL: 'http://localhost' })
const never = new AbortController().signal
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const picture = (seconds: number, size = '160x90') => ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25:duration=${seconds}`]
const tone = (seconds: number) => ['-f', 'lavfi', '-i', `sine=sample_rate=48000:duration=${seconds}`]
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-claims-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

async function written(name: string, content: Buffer): Promise<string> {
  const path = join(scratch, name)
  await writeFile(path, content)
  return path
}

/** Returns a copy with `bytes` at a distance from a place in the file. */
function patched(file: Buffer, place: string | Buffer, distance: number, bytes: Buffer): Buffer {
  const at = file.indexOf(place)
  if (at < 0) throw new Error('The file has no such place.')
  const copy = Buffer.from(file)
  bytes.copy(copy, at + distance)
  return copy
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}
function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

describe('a file that states a wrong length', () => {
  const ASF_PROPERTIES = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex')
  /** Returns the file with a length of 40 s in its header. AVI counts frames. */
  const kinds: [ending: string, codecs: string[], wrong: (file: Buffer) => Buffer][] = [
    ['flv', [...x264, '-c:a', 'aac'], (file) => patched(file, 'duration', 9, float(40))],
    [
      'avi',
      ['-c:v', 'mpeg4', '-c:a', 'mp3'],
      (file) => patched(patched(file, 'avih', 24, long(1_000n).subarray(0, 4)), 'strh', 40, long(1_000n).subarray(0, 4)),
    ],
    ['wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2'], (file) => patched(file, ASF_PROPERTIES, 64, long(400_000_000n))],
  ]
  it.each(kinds)('%s is as long as its video and audio, and refused only if it is cut off', async (ending, codecs, wrong) => {
    const file = await readFile(await makeMediaFile(`four.${ending}`, [...picture(4), ...tone(4), ...codecs]))
    const { durationSec } = await probe(await written(`wrong.${ending}`, wrong(file)), never)
    expect(Math.abs(durationSec - 4)).toBeLessThan(0.15)
    const cut = await written(`cut.${ending}`, file.subarray(0, Math.round(file.length * 0.55)))
    await expect(probe(cut, never)).rejects.toThrow(/^The video file is incomplete: only 0:0[1-3] of 0:0[34] could be read\./)
  })
})

it('a file that states a wrong frame rate has the rate of its frames', async () => {
  const file = await readFile(await makeMediaFile('rate.flv', [...picture(4), ...tone(4), ...x264, '-c:a', 'aac']))
  for (const stated of [600, 120, 1]) {
    const path = await written(`rate-${stated}.flv`, patched(file, 'framerate', 10, float(stated)))
    expect((await probe(path, never)).frameRate.text).toBe('25')
  }
})

it('fonts that are attached to a file are not tracks', async () => {
  const font = await written('font.ttf', Buffer.alloc(100))
  const attached = Array.from({ length: 70 }, () => ['-attach', font]).flat()
  const path = await makeMediaFile('fonts.mkv', [...picture(2), ...attached, ...x264, '-metadata:s:t', 'mimetype=font/ttf'])
  expect(await probe(path, never)).toMatchObject({ durationSec: 2 })
})

it('a single picture with audio is a video for as long as that is heard', async () => {
  const still = ['-f', 'lavfi', '-i', 'color=red:size=160x90:rate=1/4:duration=4']
  for (const ending of ['mp4', 'mkv']) {
    const { durationSec } = await probe(await makeMediaFile(`still.${ending}`, [...still, ...tone(4), ...x264, '-c:a', 'aac']), never)
    expect(durationSec).toBeCloseTo(4, 0)
  }
})

it('a thumbnail that states nothing about itself is not taken for the video behind it', async () => {
  const jpeg = ['-c:v', 'mjpeg', '-q:v', '5', '-pix_fmt', 'yuvj420p']
  const thumbnail = await makeMediaFile('thumb.mkv', ['-f', 'lavfi', '-i', 'color=red:size=320x180', '-frames:v', '1', ...jpeg])
  const video = await makeMediaFile('motion.mkv', [...picture(2), ...jpeg])
  const joined = ['-i', thumbnail, '-i', video, '-map', '0', '-map', '1', '-c', 'copy', '-live', '1', '-f', 'matroska']
  expect(await probe(await makeMediaFile('thumb-motion.mkv', joined), never)).toMatchObject({ videoStream: 1, width: 160 })
})

describe('a transport stream', () => {
  const made = async (name: string, args: string[] = []) =>
    readFile(await makeMediaFile(name, [...picture(3), ...tone(3), ...x264, '-c:a', 'aac', '-f', 'mpegts', ...args]))
  /** Returns the stream without the packets of some of its streams. */
  const without = (file: Buffer, ids: readonly number[]) =>
    Buffer.concat(
      Array.from({ length: file.length / 188 }, (_, at) => file.subarray(at * 188, at * 188 + 188)).filter(
        (packet) => !ids.includes(packet.readUInt16BE(1) & 0x1fff),
      ),
    )
  const programs = () =>
    made('programs.ts', [
      ...['-map', '0', '-map', '1', '-map', '0', '-map', '1'],
      ...['-program', 'program_num=1:st=0:st=1', '-program', 'program_num=2:st=2:st=3'],
    ])

  it('of several programs is the first one with a video, and the audio of others is named', async () => {
    const file = await programs()
    const reason = 'it belongs to another program'
    expect(await probe(await written('both.ts', file), never)).toMatchObject({
      ...{ videoStream: 0, audio: [{ stream: 1 }], leftOut: [{ name: 'Track 2', reason }] },
    })
    const second = await probe(await written('second.ts', without(file, [256, 257])), never)
    expect(second).toMatchObject({ videoStream: 2, audio: [{ stream: 3 }] })
    expect(second.leftOut).toBeUndefined()
  })

  it('that lists audio without a packet has none, by name', async () => {
    const found = await probe(await written('silent.ts', without(await made('sound.ts'), [257])), never)
    expect(found).toMatchObject({
      durationSec: 3,
      audio: [],
      leftOut: [{ name: 'Track 1', reason: 'it is empty at the start of the file' }],
    })
  })

  it('keeps audio that begins late', async () => {
    const late = [...picture(10), '-itsoffset', '8', ...tone(2), ...x264, '-c:a', 'aac']
    expect(await probe(await makeMediaFile('late.ts', late), never)).toMatchObject({ audio: [{ stream: 1, endsEarlySec: 0 }] })
  })

  it.each([
    ['of the same program', []],
    ['of another table', ['-mpegts_pmt_start_pid', '4097']],
  ])('that goes on in other streams %s is refused in words', async (_name, table) => {
    const later = await made('later.ts', ['-mpegts_start_pid', '512', ...table, '-output_ts_offset', '3'])
    const path = await written('joined.ts', Buffer.concat([await made('sound.ts'), later]))
    await expect(probe(path, never)).rejects.toThrow(/^The video in this file continues in another stream, as if recordings were joined/)
  })
})

it('an Ogg file with a second recording is refused in words', async () => {
  const part = await readFile(await makeMediaFile('part.ogv', [...picture(2), ...tone(2), '-c:v', 'libtheora', '-c:a', 'libvorbis']))
  const other = await readFile(await makeMediaFile('part-2.ogv', [...picture(3), ...tone(3), '-c:v', 'libtheora', '-c:a', 'libvorbis']))
  await expect(probe(await written('chain.ogv', Buffer.concat([part, other])), never)).rejects.toThrow(/^The video in this file continues/)
})

it('a track whose decoder refuses its kind is refused in words', async () => {
  const file = await readFile(await makeMediaFile('aac.mp4', [...picture(2), ...tone(2), ...x264, '-c:a', 'aac']))
  // The descriptor of the decoder's settings, whose first bits are the kind of AAC. 42 is xHE-AAC.
  const settings = Buffer.from('0580808005', 'hex')
  const path = await written('usac.mp4', patched(file, settings, settings.length, Buffer.from('f946', 'hex')))
  await expect(probe(path, never)).rejects.toThrow(
    /^A track of this file is in a format that cannot be decoded\. Export the file as H\.264 with AAC/,
  )
})

it('pixels so wide that no encoder accepts the picture are refused in words', async () => {
  const path = await makeMediaFile('wide-pixels.mp4', [...picture(1, '320x180'), '-vf', 'setsar=100/1', ...x264])
  await expect(probe(path, never)).rejects.toThrow(/^The resolution \(32000×180\) exceeds the maximum/)
})
