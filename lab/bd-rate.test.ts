import { describe, expect, it } from 'vitest'
import { bdRate, type RatePoint } from './bd-rate.ts'

const CURVE: RatePoint[] = [
  { bytes: 100_000, quality: 70 },
  { bytes: 200_000, quality: 82 },
  { bytes: 400_000, quality: 91 },
  { bytes: 800_000, quality: 96 },
]
const scaled = (by: number) => CURVE.map(({ bytes, quality }) => ({ bytes: bytes * by, quality }))

describe('bdRate', () => {
  it('returns 0 for a curve and itself, and the share by which all bytes differ', () => {
    expect(bdRate(CURVE, CURVE)).toBeCloseTo(0, 9)
    expect(bdRate(CURVE, scaled(0.8))).toBeCloseTo(-0.2, 9)
    expect(bdRate(CURVE, scaled(1.5))).toBeCloseTo(0.5, 9)
  })

  it('does not depend on the order of the points', () => {
    expect(bdRate(CURVE.toReversed(), scaled(0.8))).toBeCloseTo(-0.2, 9)
  })

  it('compares only the qualities that both reach', () => {
    const upper = scaled(0.5).slice(1)
    expect(bdRate(CURVE, upper)).toBeCloseTo(-0.5, 2)
  })

  it('returns the exact mean between curves whose logarithms are linear', () => {
    const line = (low: number, high: number) => [
      { bytes: Math.exp(low), quality: 80 },
      { bytes: Math.exp(high), quality: 90 },
    ]
    // The difference grows from 0 to −0.4 in the logarithm.
    expect(bdRate(line(10, 12), line(10, 11.6))).toBeCloseTo(Math.exp(-0.2) - 1, 6)
  })

  it('refuses curves without a common quality', () => {
    const low = CURVE.map(({ bytes, quality }) => ({ bytes, quality: quality - 50 }))
    expect(() => bdRate(CURVE, low)).toThrow('no quality in common')
    expect(() => bdRate(CURVE, CURVE.slice(1, 2))).toThrow('two points')
  })
})
