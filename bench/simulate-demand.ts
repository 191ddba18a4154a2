import { forecastCodec, isWorthEncoding, isWorthEvicting, type Terms } from '../server/modules/codec-demand/decide.ts'
import { HISTORY_DAYS, type WatchHistory } from '../server/modules/codec-demand/forecast.ts'
import {
  type CodecFacts,
  deliveredBytes,
  encodingCost,
  PRIOR_BYTES_RATIO,
  PRIOR_CPU_SEC_PER_MEGAPIXEL,
  type Prices,
  savedByWatching,
  storageCost,
  withPrior,
} from '../server/modules/codec-demand/money.ts'
import { HISTORY_HOURS, type SimulatedVideo, WATCHED_SHARE } from './demand-workload.ts'

/** What a policy costs over the simulation, in US dollars, and the bytes behind it. The H.264 renditions, which all policies have, are left out. */
export interface Spent {
  delivery: number
  storage: number
  encoding: number
  total: number
  deliveredGb: number
  storedGb: number
  encoded: number
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

/** What a codec of one video really saves and costs. */
const truth = (video: SimulatedVideo, viewerShare: number): CodecFacts => ({
  bytesRatio: video.bytesRatio,
  cpuSecPerMegapixel: video.cpuSecPerMegapixel,
  viewerShare,
  hdrShare: 1,
})

const playsAt = (video: SimulatedVideo, hour: number) => video.plays[HISTORY_HOURS + hour] ?? 0
const watchSecOf = (video: SimulatedVideo, plays: number) => plays * video.durationSec * WATCHED_SHARE

/** What the codec saves in an hour if it is there, and its storage costs. */
function hourly(video: SimulatedVideo, { prices, viewerShare }: Simulation, hour: number) {
  const codec = truth(video, viewerShare)
  const watchSec = watchSecOf(video, playsAt(video, hour))
  return { saved: savedByWatching(video, codec, prices, watchSec), stored: storageCost(video, codec, prices, 1 / 24) }
}

class Ledger {
  spent: Spent = { delivery: 0, storage: 0, encoding: 0, total: 0, deliveredGb: 0, storedGb: 0, encoded: 0, evicted: 0 }
  private readonly simulation: Simulation

  constructor(simulation: Simulation) {
    this.simulation = simulation
  }

  encode(video: SimulatedVideo): void {
    this.spent.encoding += encodingCost(video, truth(video, this.simulation.viewerShare), this.simulation.prices)
    this.spent.encoded++
  }

  /** Adds an hour of a video with the codec, or without. */
  hour(video: SimulatedVideo, hour: number, has: boolean): void {
    const { prices, viewerShare, hours } = this.simulation
    const bytes = deliveredBytes(video, watchSecOf(video, playsAt(video, hour)))
    const delivered = has ? bytes * (1 - (1 - video.bytesRatio) * viewerShare) : bytes
    this.spent.deliveredGb += delivered / 1e9
    this.spent.delivery += (delivered / 1e9) * prices.deliveryPerGb
    if (!has) return
    this.spent.storage += hourly(video, this.simulation, hour).stored
    this.spent.storedGb += (video.bytes * video.bytesRatio) / 1e9 / hours
  }

  close(): Spent {
    return { ...this.spent, total: this.spent.delivery + this.spent.storage + this.spent.encoding }
  }
}

/** No further codec. */
export function spendNever(simulation: Simulation): Spent {
  const ledger = new Ledger(simulation)
  for (const video of simulation.videos) for (let hour = 0; hour < simulation.hours; hour++) ledger.hour(video, hour, false)
  return ledger.close()
}

/** Every video has the codec from its publication, or from the begin. */
export function spendAlways(simulation: Simulation): Spent {
  const ledger = new Ledger(simulation)
  for (const video of simulation.videos) {
    ledger.encode(video)
    for (let hour = 0; hour < simulation.hours; hour++) ledger.hour(video, hour, hour >= video.publishedAt)
  }
  return ledger.close()
}

/**
 * The least that is possible with knowledge of each play, an encoding that takes no time, and any number of them at once: for each hour the
 * cheaper of having the codec and not, transitions included.
 */
export function spendOptimum(simulation: Simulation): Spent {
  const ledger = new Ledger(simulation)
  for (const video of simulation.videos) {
    const encoding = encodingCost(video, truth(video, simulation.viewerShare), simulation.prices)
    // Net saving up to an hour that ends without the codec and with it, and how the latter was reached.
    let [off, on] = [0, Number.NEGATIVE_INFINITY]
    const began = new Uint8Array(simulation.hours)
    const ended = new Uint8Array(simulation.hours)
    for (let hour = 0; hour < simulation.hours; hour++) {
      const { saved, stored } = hourly(video, simulation, hour)
      if (on > off) ended[hour] = 1
      const before = Math.max(off, on)
      if (off - encoding > on) began[hour] = 1
      on = Math.max(on, off - encoding) + saved - stored
      off = before
    }
    const has = new Uint8Array(simulation.hours)
    let state = on > off
    for (let hour = simulation.hours - 1; hour >= 0; hour--) {
      has[hour] = Number(state)
      if (state) state = began[hour] !== 1
      else state = ended[hour] === 1
    }
    for (let hour = 0; hour < simulation.hours; hour++) {
      if (has[hour] && !has[hour - 1]) ledger.encode(video)
      ledger.hour(video, hour, has[hour] === 1)
    }
  }
  return ledger.close()
}

interface Held {
  /** Hour from which viewers get it. */
  from: number
  encodedAt: number
}

/** By the code that decides in the job `codec.demand`, which knows the plays so far alone, and learns from what it encoded. */
export function spendByDemand(simulation: Simulation): Spent {
  const { videos, hours, prices, viewerShare, idleCpuSec, candidates, everyHours } = simulation
  const ledger = new Ledger(simulation)
  const held = new Map<SimulatedVideo, Held>()
  const measured = { videos: 0, ratio: 0, cpu: 0 }
  let cpuSec = 0
  for (let hour = 0; hour < hours; hour++) {
    const mean = (sum: number) => (measured.videos ? sum / measured.videos : 0)
    const terms: Terms = {
      prices,
      codec: {
        bytesRatio: withPrior(PRIOR_BYTES_RATIO, { mean: mean(measured.ratio), videos: measured.videos }),
        cpuSecPerMegapixel: withPrior(PRIOR_CPU_SEC_PER_MEGAPIXEL, { mean: mean(measured.cpu), videos: measured.videos }),
        viewerShare,
        hdrShare: 1,
      },
    }
    for (const [video, { encodedAt }] of held) {
      if ((hour - encodedAt) % 24 !== 0 || hour === encodedAt) continue
      if (!isWorthEvicting(forecastCodec(video, historyAt(video, hour), terms), (hour - encodedAt) / 24)) continue
      held.delete(video)
      ledger.spent.evicted++
    }
    // What is left over is lost: idle time cannot be saved. A long video takes that of further hours.
    cpuSec = Math.min(cpuSec, 0) + idleCpuSec
    const worth =
      hour % everyHours === 0
        ? judge(
            videos.filter((video) => !held.has(video)),
            hour,
            candidates,
            terms,
          )
        : []
    for (const { video } of worth) {
      if (cpuSec <= 0) break
      cpuSec -= video.megapixels * video.cpuSecPerMegapixel
      ledger.encode(video)
      measured.videos++
      measured.ratio += video.bytesRatio
      measured.cpu += video.cpuSecPerMegapixel
      held.set(video, { from: hour + 1, encodedAt: hour })
    }
    for (const video of videos) ledger.hour(video, hour, (held.get(video)?.from ?? hours) <= hour)
  }
  return ledger.close()
}

/** Returns the candidates whose codec is worth encoding, the greatest net saving first. */
const judge = (videos: readonly SimulatedVideo[], hour: number, candidates: number, terms: Terms) =>
  videos
    .filter((video) => video.publishedAt < hour)
    .map((video) => ({ video, recent: watchSecOf(video, playsBetween(video, hour - 48, hour)) }))
    .filter(({ recent }) => recent > 0)
    .sort((a, b) => b.recent - a.recent)
    .slice(0, candidates)
    .map(({ video }) => ({ video, forecast: forecastCodec(video, historyAt(video, hour), terms) }))
    .filter(({ forecast }) => isWorthEncoding(forecast))
    .sort((a, b) => b.forecast.net - a.forecast.net)

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
