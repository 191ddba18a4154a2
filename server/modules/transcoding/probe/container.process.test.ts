import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { inputs } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import { HEAD_BYTES, looksLikeVideo, usualEnding } from './container.ts'
import { probe } from './probe.ts'

provide({ BASE_URL: 'http://localhost' })
const source = ['-f', 'lavfi', '-i', 'testsrc2=size=352x288:rate=25:duration=1']
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

/** Each accepted container, as ffmpeg writes it. */
const CONTAINERS: [ending: string, args: string[]][] = [
  ['mp4', x264],
  ['mov', x264],
  ['m4v', [...x264, '-f', 'mp4']],
  ['3gp', [...x264, '-f', '3gp']],
  ['fragmented.mp4', [...x264, '-movflags', 'frag_keyframe+empty_moov']],
  ['mkv', x264],
  ['webm', ['-c:v', 'libvpx', '-b:v', '200k', '-deadline', 'realtime']],
  ['avi', ['-c:v', 'mpeg4']],
  ['flv', [...x264, '-f', 'flv']],
  ['ts', x264],
  ['m2ts', [...x264, '-f', 'mpegts', '-mpegts_m2ts_mode', '1']],
  ['mpg', ['-c:v', 'mpeg2video']],
  ['wmv', ['-c:v', 'wmv2']],
  ['ogv', ['-c:v', 'libtheora']],
  ['mxf', ['-c:v', 'mpeg2video']],
]

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-container-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

describe('looksLikeVideo', () => {
  it.each(inputs(CONTAINERS))('accepts %s, which probe can read', async (ending, args) => {
    const path = await makeMediaFile(`clip.${ending}`, [...source, ...args])
    expect(await looksLikeVideo(path)).toBe(true)
    const facts = await probe(path, new AbortController().signal)
    expect(facts).toMatchObject({ width: 352, height: 288, frameRate: { text: '25' } })
    expect(facts.durationSec).toBeGreaterThan(0.9)
    expect(facts.durationSec).toBeLessThan(1.1)
  })

  it.each(inputs(CONTAINERS))('%s: names the usual ending', async (ending, args) => {
    const head = (await readFile(await makeMediaFile(`clip.${ending}`, [...source, ...args]))).subarray(0, HEAD_BYTES)
    // What the options for m4v write is an MP4.
    expect(usualEnding(head)).toBe(ending === 'm4v' ? 'mp4' : ending.split('.').at(-1))
  })

  it('accepts a transport stream from the middle of a packet on', { tags: ['deep'] }, async () => {
    const whole = await readFile(await makeMediaFile('clip.ts', [...source, ...x264]))
    const path = join(scratch, 'part.ts')
    await writeFile(path, whole.subarray(77))
    expect(await looksLikeVideo(path)).toBe(true)
    expect((await probe(path, new AbortController().signal)).width).toBe(352)
  })

  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['one byte', 'G'],
    ['text', 'ftyp is only a word here, and so is moov'],
    ['a page', '<!doctype html>'.padEnd(2_000)],
    ['a PDF', '%PDF-1.7\n'.padEnd(2_000)],
    ['an archive', Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(2_000)])],
    ['a program', Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(2_000)])],
    ['a sound', Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), Buffer.alloc(2_000)])],
    ['an MP3', Buffer.concat([Buffer.from('ID3'), Buffer.alloc(2_000)])],
    ['a JPEG', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(2_000)])],
    ['letters G', 'G'.repeat(100)],
    ['a playlist', '#EXTM3U\n'.padEnd(2_000)],
  ])('refuses %s', async (name, content) => {
    const path = join(scratch, name.replaceAll(' ', '-'))
    await writeFile(path, content)
    expect(await looksLikeVideo(path)).toBe(false)
  })
})
