import { describe, expect, it } from 'vitest'
import { qualityOf, scoresOf } from './measure-quality.ts'

describe('qualityOf', () => {
  it('returns the mean, the 5th percentile by nearest rank, and the minimum', () => {
    const scores = Array.from({ length: 100 }, (_, at) => 100 - at)
    expect(qualityOf(scores)).toEqual({ mean: 50.5, p5: 5, min: 1, pictures: 100 })
    expect(qualityOf([90])).toEqual({ mean: 90, p5: 90, min: 90, pictures: 1 })
    expect(qualityOf(scores.slice(0, 21))).toMatchObject({ p5: 81, min: 80 })
  })

  it('refuses a span without pictures', () => expect(() => qualityOf([])).toThrow('no frames'))
})

describe('scoresOf', () => {
  it('reads the score of each picture', () => {
    const frames = [93.5, 88].map((vmaf, frameNum) => ({ frameNum, metrics: { vmaf, integer_motion: 1 } }))
    expect(scoresOf({ version: '3.0.0', frames })).toEqual([93.5, 88])
  })

  it.each([[{ frames: [] }], [{ frames: [{ metrics: { vmaf: 101 } }] }], [{}]])('refuses %j', (found) => {
    expect(() => scoresOf(found)).toThrow()
  })
})
