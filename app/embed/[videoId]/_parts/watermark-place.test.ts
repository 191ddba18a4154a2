import { describe, expect, it } from 'vitest'
import { between, type Caption, freeArea } from './watermark-place.ts'

const frame = { width: 1280, height: 720, videoWidth: 1920, videoHeight: 1080, controls: 66, captions: [] }
const heights = (captions: Caption[]) => {
  const { top, bottom } = freeArea({ ...frame, captions })
  return [Math.round(top), Math.round(bottom)]
}

describe('the place of a watermark', () => {
  it('is below the title and above the controls and three lines of captions', () => {
    expect(freeArea(frame)).toEqual({ left: 0, right: 1280, top: 56, bottom: 720 - 66 - 3 * 54 })
  })
  it('is on the picture, not on the bars beside it', () => {
    expect(freeArea({ ...frame, videoWidth: 1080, videoHeight: 1920 })).toMatchObject({ left: 437.5, right: 842.5 })
    expect(freeArea({ ...frame, videoWidth: 3840, videoHeight: 1080 })).toMatchObject({ top: 180, bottom: 492 })
    expect(freeArea({ ...frame, videoWidth: 0, videoHeight: 0 })).toMatchObject({ left: 0, right: 1280, top: 56 })
  })
  it('is outside captions elsewhere', () => {
    expect(heights([{ line: 'auto', snapToLines: true, lines: 2 }])).toEqual([56, 492])
    // At the top: the first line, and the next one if it wraps.
    expect(heights([{ line: 0, snapToLines: true, lines: 1 }])).toEqual([108, 492])
    expect(heights([{ line: 90, snapToLines: false, lines: 1 }])).toEqual([56, 492])
    expect(heights([{ line: -7, snapToLines: true, lines: 1 }])).toEqual([56, 222])
    expect(
      heights([
        { line: 20, snapToLines: false, lines: 1 },
        { line: 80, snapToLines: false, lines: 1 },
      ]),
    ).toEqual([252, 456])
  })
  it('has no height where there is no room', () => {
    const { top, bottom } = freeArea({ ...frame, width: 160, height: 90 })
    expect([top, bottom]).toEqual([3.75, 3.75])
  })
})

it('draws numbers of a range', () => {
  const drawn = Array.from({ length: 1_000 }, () => between(3, 7))
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(3)
  expect(Math.max(...drawn)).toBeLessThan(7)
  expect(new Set(drawn).size).toBeGreaterThan(990)
  expect(between(3, 1)).toBe(3)
})
