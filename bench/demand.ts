import { HOURS_OF_MONTH, makeWorkload } from './demand-workload.ts'
import type { Row } from './report.ts'
import { type Simulation, type Spent, spendAlways, spendByDemand, spendNever, spendOptimum } from './simulate-demand.ts'

const VIDEOS = 10_000
/** Mean plays of a video in the month: of a library that hardly anyone watches, of a usual one, and of a popular one. */
const LOADS = [20, 100, 500]
/** Times of the money of the optimum that knows the future, at most. */
const MOST = 1.05
/** The defaults of the settings. */
const TERMS = { prices: { deliveryPerGb: 0.01, storagePerGbMonth: 0.01, cpuHour: 0.01 }, viewerShare: 0.75 }
/** Sixteen cores that are idle. */
const IDLE_CPU_SEC = 16 * 3_600

/** Runs the decisions of the job `codec.demand` over a simulated month of plays, and compares what it costs with other policies. */
export async function benchDemand(): Promise<Row[]> {
  return LOADS.flatMap((perVideo) => {
    const videos = makeWorkload({ videos: VIDEOS, hours: HOURS_OF_MONTH, plays: VIDEOS * perVideo, seed: perVideo })
    const simulation: Simulation = { videos, hours: HOURS_OF_MONTH, ...TERMS, idleCpuSec: IDLE_CPU_SEC, candidates: 200, everyHours: 1 }
    const demand = spendByDemand(simulation)
    const [never, always, optimum] = [spendNever(simulation), spendAlways(simulation), spendOptimum(simulation)]
    const work = `AV1 and preset by demand, ${perVideo} plays a video`
    const against = (baseline: string, other: Spent, of: 'total' | 'deliveredGb', reach: number): Row => ({
      work: of === 'total' ? work : `${work}, delivered`,
      baseline,
      rate: demand[of],
      ceiling: other[of],
      ratio: demand[of] / other[of],
      reach,
      below: true,
      unit: of === 'total' ? 'dollars' : 'GB',
    })
    return [
      against('optimum that knows the future', optimum, 'total', MOST),
      against('H.264 only', never, 'total', 1),
      against('everything always', always, 'total', MOST),
      against('H.264 only', never, 'deliveredGb', 1),
      against('everything always', always, 'deliveredGb', 1.2),
    ]
  })
}
