import { expect, it } from 'vitest'
import { ratioTo } from './delivered-streams.ts'

const h264 = { '1080p': 4_000, '720p': 2_000, '360p': 500 }

it('ratioTo compares a rendition with that of the same quality', () => {
  const pictures = [
    { stream: '1080p', bytes: 2_000 },
    { stream: '720p', bytes: 500 },
  ]
  expect([ratioTo(h264, pictures, '1080p'), ratioTo(h264, pictures, '720p')]).toEqual([2, 4])
})

it('ratioTo compares one that H.264 has not, of an HDR ladder, with the sums of those that both have', () => {
  const ofHdr = [
    { stream: '2160p', bytes: 9_000 },
    { stream: '1080p', bytes: 1_500 },
    { stream: '720p', bytes: 500 },
  ]
  expect(ratioTo(h264, ofHdr, '2160p')).toBe(3)
  expect(ratioTo(h264, ofHdr, '1440p')).toBe(3)
})

it('ratioTo is 1 where no rendition can be compared, so that nothing counts as saved', () => {
  expect(ratioTo({}, [{ stream: '720p', bytes: 500 }], '720p')).toBe(1)
  expect(ratioTo({ '720p': 2_000 }, [{ stream: '720p', bytes: 0 }], '720p')).toBe(1)
  expect(ratioTo({ '720p': 0 }, [{ stream: '720p', bytes: 500 }], '720p')).toBe(1)
})
