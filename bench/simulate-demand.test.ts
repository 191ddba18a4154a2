import { describe, expect, it } from 'vitest'
import { HOURS_OF_MONTH, makeWorkload } from './demand-workload.ts'
import { type Simulation, spendAlways, spendByDemand, spendNever, spendOptimum } from './simulate-demand.ts'

const PRICES = { deliveryPerGb: 0.01, storagePerGbMonth: 0.01, cpuHour: 0.01 }
const month = (plays: number): Simulation => ({
  videos: makeWorkload({ videos: 500, hours: HOURS_OF_MONTH, plays, seed: 7 }),
  hours: HOURS_OF_MONTH,
  prices: PRICES,
  viewerShare: 0.75,
  idleCpuSec: 4 * 3_600,
  candidates: 60,
  everyHours: 3,
})

describe('a month by demand', () => {
  it.each([
    ['few', 10_000],
    ['many', 100_000],
  ])('costs at most a twentieth more than the optimum that knows the future, with %s plays', (_amount, plays) => {
    const simulation = month(plays)
    const demand = spendByDemand(simulation)
    const optimum = spendOptimum(simulation)
    const never = spendNever(simulation)
    const always = spendAlways(simulation)
    expect(demand.total).toBeLessThan(1.05 * optimum.total)
    // Of what can be saved at all.
    expect(never.total - demand.total).toBeGreaterThan(0.6 * (never.total - optimum.total))
    expect(demand.deliveredGb).toBeLessThan(never.deliveredGb)
    expect(demand.encoded).toBeLessThan(always.encoded)
    expect(demand.storedGb).toBeLessThan(always.storedGb)
    expect(demand.encodedAgain).toBeGreaterThan(0)
    expect(demand.encodedAgain).toBeLessThan(always.encodedAgain)
    for (const other of [demand, never, always]) expect(optimum.total).toBeLessThanOrEqual(other.total + 1e-9)
  })

  it('uses a slower preset more where no viewer has AV1', () => {
    const simulation = month(50_000)
    const [some, none] = [spendByDemand(simulation), spendByDemand({ ...simulation, viewerShare: 0 })]
    expect(none.encoded).toBe(0)
    expect(none.encodedAgain).toBeGreaterThan(1.5 * some.encodedAgain)
    expect(none.total).toBeLessThan(1.05 * spendOptimum({ ...simulation, viewerShare: 0 }).total)
  })

  it('encodes nothing where delivery is free, and everything with viewers where it is dear', () => {
    const simulation = { ...month(20_000), idleCpuSec: 1e9, candidates: 1e9 }
    expect(spendByDemand({ ...simulation, prices: { ...PRICES, deliveryPerGb: 0 } })).toMatchObject({ encoded: 0, encodedAgain: 0 })
    const dear = spendByDemand({ ...simulation, prices: { ...PRICES, deliveryPerGb: 10 } })
    const watched = simulation.videos.filter(({ plays }) => plays.subarray(0, -24).some((count) => count > 0)).length
    expect(dear.encoded).toBeGreaterThan(0.85 * watched)
  })
})
