import { describe, expect, it } from 'vitest'
import { readInit, shiftFragment } from './fragmented-mp4.ts'

const box = (type: string, ...content: (Buffer | string)[]) => {
  const body = Buffer.concat(content.map((one) => (typeof one === 'string' ? Buffer.from(one, 'hex') : one)))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}
const number = (value: number, bytes = 4) => Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex')

/** An initialization section of one track. `edits`: the time in ticks before its first picture. */
function initOf({ av1C = '81040c00', edits, colour }: { av1C?: string; edits?: number; colour?: string } = {}) {
  const mdhd = box('mdhd', '00000000', number(0), number(0), number(30_000), number(0), number(0))
  const colr = colour === undefined ? [] : [box('colr', Buffer.from('nclx'), colour)]
  const stsd = box('stsd', number(0), number(1), box('av01', Buffer.alloc(78), box('av1C', av1C), ...colr))
  const edts = edits === undefined ? [] : [box('edts', box('elst', number(0), number(1), number(edits), number(0), number(65_536)))]
  const trak = box('trak', box('tkhd', '00'), ...edts, box('mdia', mdhd, box('minf', box('stbl', stsd))))
  return Buffer.concat([box('ftyp', '69736f35'), box('moov', box('mvhd', '00'), trak, box('mvex', '00'))])
}

/** A segment of samples of these bytes, from a decode time in ticks. */
function segmentOf(time: number, sizes: readonly number[], { lost = 0 } = {}) {
  const trun = box('trun', number(0x000201), number(sizes.length), number(0), ...sizes.map((size) => number(size)))
  const traf = box('traf', box('tfhd', number(0x020000), number(1)), box('tfdt', '01000000', number(time, 8)), trun)
  const data = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0) - lost, 7)
  return Buffer.concat([box('styp', '6d736468'), box('sidx', number(1)), box('moof', box('mfhd', number(0)), traf), box('mdat', data)])
}

describe('readInit', () => {
  it('returns equal sections for chunks whose first pictures have other times', () => {
    expect(readInit(initOf({ edits: 14_004 })).init).toEqual(initOf())
    expect(readInit(initOf()).init).toEqual(initOf())
  })

  it.each([
    ['81010c00', 'av01.0.01M.08'],
    ['81080c00', 'av01.0.08M.08'],
    ['812dcc00', 'av01.1.13H.10'],
    ['8142ec00', 'av01.2.02H.12'],
  ])('states %s as %s', (av1C, codecs) => expect(readInit(initOf({ av1C }))).toMatchObject({ codecs, timescale: 30_000 }))

  it.each([
    ['81014d00', '00090010000900', 'av01.0.01M.10.0.111.09.16.09.0'],
    ['812dce00', '00090012000900', 'av01.1.13H.10.0.112.09.18.09.0'],
    ['81486800', '000c0010000e80', 'av01.2.08M.12.0.100.12.16.14.1'],
    ['81084c00', '00010001000100', 'av01.0.08M.10'],
  ])('states the colours of HDR with %s and %s: %s', (av1C, colour, codecs) =>
    expect(readInit(initOf({ av1C, colour }))).toMatchObject({ codecs }),
  )

  it('refuses another content', () => {
    expect(() => readInit(box('moov'))).toThrow('MP4 without a box mdhd')
    expect(() => readInit(Buffer.from('no MP4 at all'))).toThrow('an MP4 box has the size')
    expect(() => readInit(initOf().subarray(0, -3))).toThrow('an MP4 box has the size')
  })
})

describe('shiftFragment', () => {
  it('moves a segment to its time in the video and leaves its samples', () => {
    const [moved, expected] = [shiftFragment(segmentOf(1_001, [40, 2]), 300_300), segmentOf(301_301, [40, 2])]
    expect(moved.toString('latin1').replace('free\0\0\0\0', 'sidx\0\0\0\u0001')).toBe(expected.toString('latin1'))
  })

  it('refuses a segment that lacks bytes', () => {
    expect(() => shiftFragment(segmentOf(0, [40, 2], { lost: 1 }), 1)).toThrow('a segment has 41 bytes of samples instead of 42')
    expect(() => shiftFragment(segmentOf(0, [40, 2]).subarray(0, -1), 1)).toThrow('an MP4 box has the size')
    expect(() => shiftFragment(box('mdat', '00'), 1)).toThrow('MP4 without a box tfdt')
  })
})
