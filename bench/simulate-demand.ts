import { type Forecast, forecastCodec, isWorthEncoding, isWorthEvicting, type Terms } from '../server/modules/codec-demand/decide.ts'
import { HISTORY_DAYS, type WatchHistory } from '../server/modules/codec-demand/forecast.ts'
import { deliveredBytes, PRIORS, type Prices, type VideoFacts, withPrior } from '../server/modules/codec-demand/money.ts'
import { DEMAND_CODECS, type DemandCodec } from '../server/modules/codec-demand/state.ts'
import { HISTORY_HOURS, type SimulatedVideo, WATCHED_SHARE } from './demand-workload.ts'

/** What a policy costs over the simulation, in US dollars, and the bytes behind it. Storage of H.264 with the first preset is left out. */
export interface Spent {
  delivery: number
  storage: number
  encoding: number
  total: number
  deliveredGb: number
  storedGb: number
  /** Encodings in AV1, and in H.264 with the slower preset. */
  encoded: number
  encodedAgain: number
  evicted: number
}

export interface Simulation {
  videos: readonly SimulatedVideo[]
  hours: number
  prices: Prices
  viewerShare: number
  /** Processor seconds in an hour that no other work needs. */
  idleCpuSec: number
  /** Candidates that are judged at once, those that were watched most in two days, and how often that is. */
  candidates: number
  everyHours: number
}

/** What a video has, as bits: AV1 next to H.264, and H.264 with the slower preset. */
type Renditions = 0 | 1 | 2 | 3
const ALL: readonly Renditions[] = [0, 1, 2, 3]
const BITS: Record<DemandCodec, 1 | 2> = { av1: 1, h264: 2 }
const has = (renditions: Renditions, codec: DemandCodec) => (renditions & BITS[codec]) !== 0

const playsAt = (video: SimulatedVideo, hour: number) => video.plays[HISTORY_HOURS + hour] ?? 0
const watchSecOf = (video: SimulatedVideo, plays: number) => plays * video.durationSec * WATCHED_SHARE

/** Bytes of H.264 divided by those with the first preset. */
const h264Ratio = (video: SimulatedVideo, renditions: Renditions) => (has(renditions, 'h264') ? video.slowerRatio : 1)
const cpuSecOf = (video: SimulatedVideo, codec: DemandCodec) =>
  video.megapixels * (codec === 'av1' ? video.cpuSecPerMegapixel : video.slowerCpuSecPerMegapixel)

/** Bytes that are delivered, and stored beyond those of H.264 with the first preset, in an hour; counted apart from the code of the decision. */
function bytesOf(video: SimulatedVideo, { viewerShare }: Simulation, hour: number, renditions: Renditions) {
  const h264 = h264Ratio(video, renditions)
  const [av1, share] = has(renditions, 'av1') ? [video.bytesRatio, viewerShare] : [0, 0]
  const delivered = deliveredBytes(video, watchSecOf(video, playsAt(video, hour))) * ((1 - share) * h264 + share * av1)
  return { delivered, stored: hour >= video.publishedAt ? video.bytes * (h264 - 1 + av1) : 0 }
}

class Ledger {
  spent: Spent = { delivery: 0, storage: 0, encoding: 0, total: 0, deliveredGb: 0, storedGb: 0, encoded: 0, encodedAgain: 0, evicted: 0 }
  private readonly simulation: Simulation

  constructor(simulation: Simulation) {
    this.simulation = simulation
  }

  encode(video: SimulatedVideo, codec: DemandCodec): void {
    this.spent.encoding += (cpuSecOf(video, codec) / 3_600) * this.simulation.prices.cpuHour
    this.spent[codec === 'av1' ? 'encoded' : 'encodedAgain']++
  }

  hour(video: SimulatedVideo, hour: number, renditions: Renditions): void {
    const { prices, hours } = this.simulation
    const { delivered, stored } = bytesOf(video, this.simulation, hour, renditions)
    this.spent.deliveredGb += delivered / 1e9
    this.spent.delivery += (delivered / 1e9) * prices.deliveryPerGb
    this.spent.storage += (stored / 1e9) * prices.storagePerGbMonth * (1 / (30 * 24))
    this.spent.storedGb += stored / 1e9 / hours
  }

  close(): Spent {
    return { ...this.spent, total: this.spent.delivery + this.spent.storage + this.spent.encoding }
  }
}

/** Every video has the same from its publication, or from the begin. */
function spendWith(simulation: Simulation, renditions: Renditions): Spent {
  const ledger = new Ledger(simulation)
  for (const video of simulation.videos) {
    for (const codec of DEMAND_CODECS) if (has(renditions, codec)) ledger.encode(video, codec)
    for (let hour = 0; hour < simulation.hours; hour++) ledger.hour(video, hour, renditions)
  }
  return ledger.close()
}

/** H.264 with the first preset alone. */
export const spendNever = (simulation: Simulation): Spent => spendWith(simulation, 0)
/** AV1 as well, and H.264 with the slower preset. */
export const spendAlways = (simulation: Simulation): Spent => spendWith(simulation, 3)

/**
 * The least that is possible with knowledge of each play, an encoding that takes no time, and any number of them at once: for each hour the
 * cheapest of what a video can have, transitions included. A slower preset stays: it takes less storage.
 */
export function spendOptimum(simulation: Simulation): Spent {
  const ledger = new Ledger(simulation)
  for (const video of simulation.videos) {
    let had: Renditions = 0
    for (const [hour, renditions] of cheapest(video, simulation).entries()) {
      for (const codec of DEMAND_CODECS) if (has(renditions, codec) && !has(had, codec)) ledger.encode(video, codec)
      ledger.hour(video, hour, renditions)
      had = renditions
    }
  }
  return ledger.close()
}

/** Returns what a video has in each hour at the least cost, by dynamic programming. */
function cheapest(video: SimulatedVideo, simulation: Simulation): Renditions[] {
  const { hours, prices } = simulation
  const encoding = (codec: DemandCodec) => (cpuSecOf(video, codec) / 3_600) * prices.cpuHour
  const change = (from: Renditions, to: Renditions) =>
    has(from, 'h264') && !has(to, 'h264')
      ? Number.POSITIVE_INFINITY
      : DEMAND_CODECS.reduce((sum, codec) => sum + (has(to, codec) && !has(from, codec) ? encoding(codec) : 0), 0)
  const changes = ALL.map((to) => ALL.map((from) => change(from, to)))
  let least = [0, ...ALL.slice(1).map(() => Number.POSITIVE_INFINITY)]
  const before = new Uint8Array(hours * ALL.length)
  for (let hour = 0; hour < hours; hour++) {
    least = ALL.map((to) => {
      let best: Renditions = 0
      const cost = (from: Renditions) => (least[from] as number) + (changes[to]?.[from] as number)
      for (const from of ALL) if (cost(from) < cost(best)) best = from
      before[hour * ALL.length + to] = best
      const { delivered, stored } = bytesOf(video, simulation, hour, to)
      return cost(best) + (delivered / 1e9) * prices.deliveryPerGb + (stored / 1e9) * prices.storagePerGbMonth * (1 / (30 * 24))
    })
  }
  const found = new Array<Renditions>(hours)
  let state = ALL.reduce((best, one) => ((least[one] as number) < (least[best] as number) ? one : best), 0 as Renditions)
  for (let hour = hours - 1; hour >= 0; hour--) {
    found[hour] = state
    state = before[hour * ALL.length + state] as Renditions
  }
  return found
}

/** Largest share of the former bytes with which a re-encoding is kept (`judge-reencode.ts`). */
const WORTH = 0.95

interface Held {
  /** Hour from which viewers get it. */
  from: number
  encodedAt: number
  /** Encoded, and dropped because it saved too little. */
  isDropped: boolean
}

/** What was encoded so far: sums of videos. */
interface Measured {
  videos: number
  ratio: number
  cpu: number
}

/** By the code that decides in the jobs `codec.judge` and `codec.demand`, which knows the plays so far alone, and learns from what it encoded. */
export function spendByDemand(simulation: Simulation): Spent {
  const { videos, hours, idleCpuSec, everyHours } = simulation
  const ledger = new Ledger(simulation)
  const held: Record<DemandCodec, Map<SimulatedVideo, Held>> = { av1: new Map(), h264: new Map() }
  const measured: Record<DemandCodec, Measured> = { av1: { videos: 0, ratio: 0, cpu: 0 }, h264: { videos: 0, ratio: 0, cpu: 0 } }
  const isThere = (video: SimulatedVideo, codec: DemandCodec, hour: number) => {
    const one = held[codec].get(video)
    return one !== undefined && !one.isDropped && one.from <= hour
  }
  const at = (video: SimulatedVideo, hour: number) =>
    DEMAND_CODECS.reduce<number>((bits, codec) => bits | (isThere(video, codec, hour) ? BITS[codec] : 0), 0) as Renditions
  let cpuSec = 0
  for (let hour = 0; hour < hours; hour++) {
    const terms = termsOf(simulation, measured)
    const factsOf = (video: SimulatedVideo): VideoFacts => {
      const ratio = h264Ratio(video, at(video, hour))
      const { megapixels, isHdr } = video
      const hasSlowerPreset = isThere(video, 'h264', hour)
      return {
        bytes: video.bytes * ratio,
        bandwidth: video.bandwidth * ratio,
        megapixels,
        isHdr,
        hasAv1: held.av1.has(video),
        hasSlowerPreset,
      }
    }
    for (const [video, { encodedAt }] of held.av1) {
      if ((hour - encodedAt) % 24 !== 0 || hour === encodedAt) continue
      if (!isWorthEvicting(forecastCodec(factsOf(video), historyAt(video, hour), terms.av1), (hour - encodedAt) / 24)) continue
      held.av1.delete(video)
      ledger.spent.evicted++
    }
    // What is left over is lost: idle time cannot be saved. A long video takes that of further hours.
    cpuSec = Math.min(cpuSec, 0) + idleCpuSec
    const worth =
      hour % everyHours === 0
        ? DEMAND_CODECS.flatMap((codec) => {
            const open = videos.filter((video) => !held[codec].has(video))
            return judge(simulation, open, hour, (video) => forecastCodec(factsOf(video), historyAt(video, hour), terms[codec])).map(
              (one) => ({
                ...one,
                codec,
              }),
            )
          }).sort((a, b) => b.forecast.net - a.forecast.net)
        : []
    const begun = new Set<SimulatedVideo>()
    for (const { video, codec } of worth) {
      if (cpuSec <= 0) break
      // What a video gains by one depends on the other; it is judged again.
      if (begun.has(video)) continue
      begun.add(video)
      cpuSec -= cpuSecOf(video, codec)
      ledger.encode(video, codec)
      const ratio = codec === 'av1' ? video.bytesRatio : video.slowerRatio
      const isDropped = codec === 'h264' && ratio > WORTH
      held[codec].set(video, { from: hour + 1, encodedAt: hour, isDropped })
      if (isDropped) continue
      measured[codec].videos++
      measured[codec].ratio += ratio
      measured[codec].cpu += cpuSecOf(video, codec) / video.megapixels
    }
    for (const video of videos) ledger.hour(video, hour, at(video, hour))
  }
  return ledger.close()
}

/** What the service knows by what it has encoded. */
function termsOf({ prices, viewerShare }: Simulation, measured: Record<DemandCodec, Measured>): Record<DemandCodec, Terms> {
  const known = (codec: DemandCodec) => {
    const { videos, ratio, cpu } = measured[codec]
    const mean = (sum: number) => ({ mean: videos ? sum / videos : 0, videos })
    const { bytesRatio, cpuSecPerMegapixel } = PRIORS[codec]
    return { bytesRatio: withPrior(bytesRatio, mean(ratio)), cpuSecPerMegapixel: withPrior(cpuSecPerMegapixel, mean(cpu)) }
  }
  const shared = { slowerRatio: known('h264').bytesRatio, viewerShare, hdrShare: 1 }
  const of = (codec: DemandCodec): Terms => ({ prices, codec: { ...known(codec), ...shared, replaces: codec === 'h264' } })
  return { av1: of('av1'), h264: of('h264') }
}

/** Returns the candidates that are worth encoding. */
const judge = (
  { candidates }: Simulation,
  videos: readonly SimulatedVideo[],
  hour: number,
  forecastOf: (video: SimulatedVideo) => Forecast,
) =>
  videos
    .filter((video) => video.publishedAt < hour)
    .map((video) => ({ video, recent: watchSecOf(video, playsBetween(video, hour - 48, hour)) }))
    .filter(({ recent }) => recent > 0)
    .sort((a, b) => b.recent - a.recent)
    .slice(0, candidates)
    .map(({ video }) => ({ video, forecast: forecastOf(video) }))
    .filter(({ forecast }) => isWorthEncoding(forecast))

const playsBetween = ({ playsUpTo }: SimulatedVideo, begin: number, end: number): number =>
  (playsUpTo[HISTORY_HOURS + end] as number) - (playsUpTo[Math.max(0, HISTORY_HOURS + begin)] as number)

/** What the tables of viewings hold at the begin of an hour: sums of UTC days. */
function historyAt(video: SimulatedVideo, hour: number): WatchHistory {
  const today = hour - (hour % 24)
  const plays: number[] = []
  for (let begin = today, end = hour; plays.length < HISTORY_DAYS && end > -HISTORY_HOURS; end = begin, begin -= 24)
    plays.push(playsBetween(video, begin, end))
  return {
    plays,
    watchSec: plays.map((count) => watchSecOf(video, count)),
    todayShare: Math.max(1 / 1_440, (hour % 24) / 24),
    ageDays: (hour - video.publishedAt) / 24,
  }
}
