import { expect, it } from 'vitest'
import { hdrColors, readColors } from './source-colors.ts'

const probed = { width: 1920, height: 1080, pixelFormat: 'yuv420p', primaries: undefined, transfer: undefined, matrix: undefined }
const names = ({ primaries, transfer, matrix }: ReturnType<typeof readColors>) => `${primaries} ${transfer} ${matrix}`

it.each<[string, Partial<Parameters<typeof readColors>[0]>, string]>([
  ['an untagged HD picture', {}, 'bt709 bt709 bt709'],
  ['an untagged HD picture of a phone', { width: 1080, height: 1920 }, 'bt709 bt709 bt709'],
  ['an untagged SD picture', { width: 640, height: 480 }, 'smpte170m smpte170m smpte170m'],
  ['an untagged PAL picture', { width: 1024, height: 576 }, 'bt470bg smpte170m bt470bg'],
  ['a tagged SD picture', { width: 640, height: 480, primaries: 'bt709', transfer: 'bt709', matrix: 'bt709' }, 'bt709 bt709 bt709'],
  ['an HD picture with the matrix alone', { matrix: 'smpte170m' }, 'smpte170m smpte170m smpte170m'],
  ['unknown names', { primaries: 'reserved', transfer: 'unknown', matrix: 'reserved' }, 'bt709 bt709 bt709'],
  ['RGB', { width: 320, height: 240, pixelFormat: 'gbrp', matrix: 'gbr', transfer: 'iec61966-2-1' }, 'bt709 iec61966-2-1 bt709'],
])('readColors of %s', (_name, changes, expected) => {
  expect(names(readColors({ ...probed, ...changes }))).toBe(expected)
})

it('keeps the colours of HDR pictures, and takes those of BT.2100 where they are not stated', () => {
  expect(names(hdrColors('pq', { primaries: 'smpte432', matrix: 'ictcp' }))).toBe('smpte432 smpte2084 ictcp')
  expect(names(hdrColors('hlg', { primaries: 'unknown', matrix: 'unknown' }))).toBe('bt2020 arib-std-b67 bt2020nc')
  expect(hdrColors('pq', { pixelFormat: 'gbrp10le', matrix: 'gbr' })).toMatchObject({ matrix: 'bt2020nc', rgb: true })
})
