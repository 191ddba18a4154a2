import { expect, it } from 'vitest'
import { transferRateMeter } from './speed.ts'

const MB = 1e6

/** Sends at `rate` bytes per second, ten times a second, for `seconds` from byte `from` on; returns the last pace. */
function send(meter: ReturnType<typeof transferRateMeter>, start: number, from: number, rate: number, seconds: number, total = 100 * MB) {
  const paces = Array.from({ length: seconds * 10 + 1 }, (_, tick) => meter.add(start + tick * 100, from + (rate * tick) / 10, total))
  for (const { speed, secondsLeft } of paces) {
    expect(speed ?? 0).toBeGreaterThanOrEqual(0)
    expect(secondsLeft ?? 0).toBeGreaterThanOrEqual(0)
  }
  return paces.at(-1) as (typeof paces)[number]
}

it('returns nothing at first, then the speed and the time left', () => {
  const meter = transferRateMeter()
  expect(meter.add(0, 0, 10 * MB)).toEqual({ speed: undefined, secondsLeft: undefined })
  expect(meter.add(400, MB, 10 * MB).speed).toBeUndefined()
  expect(meter.add(1_000, 2 * MB, 10 * MB)).toEqual({ speed: 2 * MB, secondsLeft: 4 })
})

it('follows a connection that becomes slower', () => {
  const meter = transferRateMeter()
  send(meter, 0, 0, 5 * MB, 10)
  const { speed, secondsLeft } = send(meter, 10_000, 50 * MB, MB, 9)
  expect(speed).toBeCloseTo(MB, -4)
  expect(secondsLeft).toBeCloseTo(41, 0)
})

it('restarts after a disconnection from what arrived, and never counts backwards', () => {
  const meter = transferRateMeter()
  send(meter, 0, 0, 4 * MB, 5)
  // The connection broke at 20 MB; the server had stored 8 MB of them, and is queried 3 s later.
  expect(meter.add(8_000, 8 * MB, 100 * MB)).toEqual({ speed: undefined, secondsLeft: undefined })
  expect(send(meter, 8_100, 8 * MB, 4 * MB, 2).speed).toBeCloseTo(4 * MB, -6)
})

it('returns no time left for a stalled connection', () => {
  const meter = transferRateMeter()
  meter.add(0, MB, 10 * MB)
  expect(meter.add(1_000, MB, 10 * MB)).toEqual({ speed: 0, secondsLeft: undefined })
})

it('does not count a pause as slowness', () => {
  const meter = transferRateMeter()
  send(meter, 0, 0, 4 * MB, 5)
  meter.reset()
  expect(send(meter, 600_000, 20 * MB, 4 * MB, 1).speed).toBeCloseTo(4 * MB, -6)
})
