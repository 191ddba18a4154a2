import { describe, expect, it } from 'vitest'
import { mainPicture } from './main-picture.ts'
import type { Stream } from './source-streams.ts'

const stream = (index: number, changes: Partial<Stream>): Stream => ({
  index,
  codec_type: 'video',
  codec_name: 'h264',
  isDecodable: true,
  ...changes,
})
const flag = { default: 1 }
const chosen = (...streams: Partial<Stream>[]) => mainPicture(streams.map((one, at) => stream(at, one))).index

describe('mainPicture', () => {
  it('chooses the video behind a thumbnail', () => {
    const video = { nb_frames: 300, duration: 12, disposition: flag }
    expect(chosen({ codec_name: 'mjpeg', nb_frames: 1, duration: 0.04, disposition: flag }, video)).toBe(1)
    // A cover that is shown for as long, one without any numbers (Matroska), a short animation.
    expect(chosen({ codec_name: 'hevc', nb_frames: 1, duration: 12, disposition: flag }, video)).toBe(1)
    expect(chosen({ codec_name: 'png', disposition: flag }, { disposition: flag })).toBe(1)
    expect(chosen({ tags: { DURATION: '00:00:00.080000000' }, disposition: flag }, { tags: { DURATION: '00:00:12.000000000' } })).toBe(1)
    expect(chosen({ disposition: { attached_pic: 1 } }, { disposition: { timed_thumbnails: 1 } }, {})).toBe(2)
  })

  it('chooses the video of a station that a transport stream has packets of', () => {
    expect(chosen({ width: 0 }, { width: 320 })).toBe(1)
    // Refused for its size, which the decoder does not state, not for its thumbnail.
    expect(chosen({ codec_name: 'mjpeg', width: 320, nb_frames: 1 }, { width: 0 })).toBe(1)
  })

  it('chooses the default one of two videos, else the first', () => {
    expect(chosen({ duration: 12 }, { duration: 11.9, disposition: flag })).toBe(1)
    expect(chosen({ duration: 12 }, { duration: 12 })).toBe(0)
    expect(chosen({}, {})).toBe(0)
  })

  it('names the reason where the video cannot be decoded, though a thumbnail can', () => {
    const still = { codec_name: 'mjpeg', nb_frames: 1 }
    expect(() => chosen(still, { codec_name: 'unknown' })).toThrow(/codec that cannot be decoded/)
    expect(() => chosen(still, { codec_tag_string: 'encv' })).toThrow(/copy-protected/)
    expect(() => chosen({ codec_type: 'audio' })).toThrow(/audio but no video/)
    expect(() => chosen({ codec_type: 'data' })).toThrow(/contains no video/)
    expect(chosen(still)).toBe(0)
  })
})
