import { expect, it } from 'vitest'
import { picturePacket } from '../../../testing/media/picture-packet.ts'
import { ptsOf } from './mpeg-ts.ts'

const sound = () => {
  const packet = picturePacket(1)
  packet[7] = 0xc0
  return packet
}

it.each([0, 1, 126_000, 1_026_000, 2 ** 15, 2 ** 30 + 2 ** 15 + 1, 2 ** 33 - 1])('reads the time stamp %i', (pts) =>
  expect(ptsOf(Buffer.concat([Buffer.alloc(188, 0x47), sound(), picturePacket(pts), picturePacket(7)]))).toBe(pts),
)

it('skips an adaptation field', () => {
  const packet = picturePacket(90_000)
  const longer = Buffer.concat([packet.subarray(0, 4), Buffer.from([7, 0, 0, 0, 0, 0, 0, 0]), packet.subarray(4, 180)])
  longer[3] = 0x30
  expect(ptsOf(longer)).toBe(90_000)
})

it.each([
  ['nothing', Buffer.alloc(0)],
  ['noise', Buffer.alloc(1_000, 'noise')],
  ['sound alone', sound()],
  ['part of a packet', picturePacket(9).subarray(0, 100)],
])('finds none in %s', (_name, segment) => expect(ptsOf(segment)).toBe(undefined))
