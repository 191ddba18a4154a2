import { expect, it } from 'vitest'
import { captionChannels } from './closed-captions.ts'

const MARKER = [0xb5, 0x00, 0x31, ...Buffer.from('GA94'), 0x03]
/** A picture with these constructs, as its SEI message has them. */
const picture = (...constructs: [number, number, number][]) =>
  Buffer.from([0, 0, 1, 6, 4, 9, ...MARKER, 0x40 | constructs.length, 0xff, ...constructs.flat(), 0xff, 0x80, 0, 0, 1, 0x65])
const channels = (data: Buffer) => [...captionChannels(data)]

it.each([
  ['CC1', 0xfc, 0x94, 0x20],
  ['CC2', 0xfc, 0x1c, 0x20],
  ['CC3', 0xfd, 0x15, 0x25],
  ['CC4', 0xfd, 0x9d, 0x2f],
])('finds %s', (channel, kind, first, second) => expect(channels(picture([kind, first, second]))).toEqual([channel]))

it.each([
  ['padding', [0xfc, 0x80, 0x80]],
  ['a code that erases', [0xfc, 0x94, 0x2c]],
  ['text without a code', [0xfc, 0x48, 0x49]],
  ['text mode, which is no caption', [0xfc, 0x94, 0x2a]],
  ['an invalid construct', [0xf8, 0x94, 0x20]],
  ['CEA-708', [0xfe, 0x94, 0x20]],
] as [string, [number, number, number]][])('finds none in %s', (_name, construct) => expect(channels(picture(construct))).toEqual([]))

it('finds none where the data is switched off', () => {
  const off = picture([0xfc, 0x94, 0x20])
  const head = off.indexOf(Buffer.from(MARKER)) + MARKER.length
  off[head] = (off[head] as number) & ~0x40
  expect(channels(off)).toEqual([])
})

it('reads past the bytes that keep data from looking like a start code', () => {
  const constructs: [number, number, number][] = [
    [0xfa, 0, 0],
    [0x00, 0, 0],
    [0xfc, 0x94, 0x20],
  ]
  const plain = picture(...constructs)
  const zeros = plain.indexOf(Buffer.from([0xfa, 0, 0, 0, 0, 0])) + 1
  // 00 00 [03] 00 00 [03] 00 fc: one byte more for each two zeros before a byte of at most 3.
  const escaped = Buffer.concat([plain.subarray(0, zeros), Buffer.from([0, 0, 3, 0, 0, 3, 0]), plain.subarray(zeros + 5)])
  expect(channels(escaped)).toEqual(['CC1'])
})

it('finds none in a picture that ends within its captions', () => {
  const cut = picture([0xfc, 0x80, 0x80], [0xfc, 0x94, 0x20])
  for (let length = 0; length < cut.indexOf(0x94); length++) expect(channels(cut.subarray(0, length))).toEqual([])
})
