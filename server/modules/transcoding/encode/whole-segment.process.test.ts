import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeMediaFile, shortClip } from '../../../testing/media/media-files.ts'
import { provide } from '../../../testing/settings.ts'
import { isWholeSegment } from './segment-store.ts'

provide({ BASE_URL: 'http://localhost' })
let segment: Buffer
beforeAll(async () => {
  segment = await readFile(await makeMediaFile('segment.ts', ['-i', await shortClip(), '-c', 'copy', '-t', '2', '-f', 'mpegts']))
})
const without = (from: number, to: number) => Buffer.concat([segment.subarray(0, from), segment.subarray(to)])

describe('isWholeSegment', () => {
  it('accepts a segment as the muxer wrote it', () => expect(isWholeSegment(segment)).toBe(true))
  it('refuses an empty file', () => expect(isWholeSegment(Buffer.alloc(0))).toBe(false))

  it.each([
    ['its end', () => segment.subarray(0, 65_536)],
    ['a page', () => without(40_960, 45_056)],
    ['a buffer', () => without(32_768, 65_536)],
    ['a packet', () => without(188 * 100, 188 * 101)],
    ['bytes, which are zero', () => Buffer.concat([segment.subarray(0, 32_768), Buffer.alloc(4_096), segment.subarray(36_864)])],
  ])('refuses a segment without %s', (_name, cut) => expect(isWholeSegment(cut())).toBe(false))
})
