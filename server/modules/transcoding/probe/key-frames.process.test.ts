import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberedFrames } from '../../../testing/media/chunked.ts'
import { damageFile } from '../../../testing/media/damaged-file.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { provide } from '../../../testing/settings.ts'
import { readKeyFrames } from './key-frames.ts'

provide({ BASE_URL: 'http://localhost' })
const H264 = { videoStream: 0, codec: 'h264' }
const never = new AbortController().signal
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-keys-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '100', '-x264-params', 'scenecut=0']
const source = (file: string, more: string[] = [], seconds = 22) =>
  makeMediaFile(file, [...numberedFrames('25', seconds), ...x264, ...more])

describe('readKeyFrames', () => {
  it.each<[string, string, string[]]>([
    ['an MP4', 'keys.mp4', []],
    ['a Matroska file with a start offset', 'keys.mkv', ['-output_ts_offset', '5.5']],
    ['a fragmented MP4 without an index', 'fragments.mp4', ['-movflags', '+frag_keyframe+empty_moov+skip_trailer']],
  ])('returns the times from the start of %s', async (_name, file, more) => {
    const { keyFrames, packets, endSec, seekable } = await readKeyFrames(await source(file, more), H264, never)
    expect(keyFrames.map(({ sec }) => Math.round(sec * 100) / 100)).toEqual([0, 4, 8, 12, 16, 20])
    // The next key frame is decoded two frames before it is shown.
    expect(keyFrames[0]?.nextSec).toBeGreaterThan(3.8)
    expect(keyFrames[0]?.nextSec).toBeLessThanOrEqual(4)
    expect(keyFrames.at(-1)?.nextSec).toBe(Number.POSITIVE_INFINITY)
    expect(packets).toBe(550)
    expect(endSec).toBeCloseTo(22, 1)
    expect(seekable).toBe(true)
  })

  it('keeps one key frame in half a second, with the time of the next one', async () => {
    const path = await makeMediaFile('all-keys.mov', [...numberedFrames('25', 22), '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'])
    const { keyFrames, packets, seekable } = await readKeyFrames(path, { videoStream: 0, codec: 'mjpeg' }, never)
    expect(packets).toBe(550)
    expect(keyFrames.length).toBeLessThanOrEqual(44)
    expect((keyFrames[3]?.nextSec ?? 0) - (keyFrames[3]?.sec ?? 0)).toBeCloseTo(0.04, 3)
    expect(seekable).toBe(true)
  })

  it('takes a single group, and a file that cannot be read, for not seekable', async () => {
    const single = await makeMediaFile('one-group.mp4', [
      ...numberedFrames('25', 22),
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-g',
      '9999',
    ])
    expect(await readKeyFrames(single, H264, never)).toMatchObject({ seekable: false, packets: 550 })
    const cut = join(scratch, 'cut.mp4')
    await copyFile(await source('keys.mp4'), cut)
    await truncate(cut, 400)
    expect(await readKeyFrames(cut, H264, never)).toMatchObject({ keyFrames: [], packets: 0, seekable: false })
  })

  it('returns the refreshes of a source to copy, without packets that are damaged', async () => {
    const path = await source('keys.mp4')
    const read = async (file: string) => readKeyFrames(file, { ...H264, frameRate: 25 }, never)
    const whole = await read(path)
    const times = [-0.08, 3.92, 7.92, 11.92, 15.92, 19.92]
    expect(whole.idrTimes?.map(({ dtsSec }) => Math.round(dtsSec * 100) / 100)).toEqual(times)
    expect(whole.groups).toHaveLength(6)
    const damaged = await read(await damageFile(path, join(scratch, 'damaged.mp4'), { stream: 'v', from: 8, to: 8.02 }))
    expect(damaged.idrTimes?.map(({ dtsSec }) => Math.round(dtsSec * 100) / 100)).toEqual(times.toSpliced(2, 1))
    expect(damaged).toMatchObject({ packets: 550, seekable: true })
  })

  it('returns all packets where the filters of H.264 refuse the stream', async () => {
    const file = await readFile(await source('keys.mp4'))
    // Length of the first parameter set, after the name of the box and six bytes.
    file.writeUInt16BE(0xffff, file.indexOf('avcC') + 10)
    const refused = join(scratch, 'refused.mp4')
    await writeFile(refused, file)
    const found = await readKeyFrames(refused, { ...H264, frameRate: 25 }, never)
    expect(found.idrTimes).toBeUndefined()
    expect(found.packets).toBe(550)
  })

  it('ends when it is aborted', async () => {
    const path = await source('keys.mp4')
    await expect(readKeyFrames(path, H264, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop')
  })
})
