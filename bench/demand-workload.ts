import { seeded } from '../server/testing/seeded.ts'

/** A video of the simulated library. Times in hours from the begin of the simulation; negative before. */
export interface SimulatedVideo {
  publishedAt: number
  durationSec: number
  bandwidth: number
  bytes: number
  megapixels: number
  isHdr: boolean
  hasAv1: boolean
  hasSlowerPreset: boolean
  /** Bytes of AV1 divided by those of H.264, and processor seconds for a million pixels, which only its encoding shows. */
  bytesRatio: number
  cpuSecPerMegapixel: number
  /** The same of H.264 with the slower preset. */
  slowerRatio: number
  slowerCpuSecPerMegapixel: number
  /** Plays of each hour, from `HISTORY_HOURS` before the begin. */
  plays: Uint32Array
  /** Their sums up to the begin of each hour. */
  playsUpTo: Uint32Array
}

export const HISTORY_HOURS = 28 * 24
export const HOURS_OF_MONTH = 30 * 24
/** Share of a video that a viewer watches on average. */
export const WATCHED_SHARE = 0.55

export interface Workload {
  videos: number
  hours: number
  /** Plays of all videos within `hours`, about. */
  plays: number
  seed: number
}

/** Plays by the hour of the day, and by the day of the week. */
const HOURS = Array.from({ length: 24 }, (_, hour) => 1 + 0.7 * Math.sin(((hour - 14) / 24) * 2 * Math.PI))
const WEEKDAYS = [1, 0.95, 0.95, 1, 1.1, 1.25, 1.2]
/** Lines of the picture, bits per second of H.264 on average that viewers receive, pixels and bytes of all renditions. */
const SIZES = [
  { share: 0.25, bandwidth: 1.1e6, pixels: [854 * 480, 640 * 360, 426 * 240], rate: 2.4e6 },
  { share: 0.4, bandwidth: 2.0e6, pixels: [1280 * 720, 854 * 480, 640 * 360, 426 * 240], rate: 5e6 },
  { share: 0.35, bandwidth: 3.2e6, pixels: [1920 * 1080, 1280 * 720, 854 * 480, 640 * 360, 426 * 240], rate: 1e7 },
]

/**
 * Makes a library whose popularity is Zipf's, with old videos and such as are published meanwhile. Audiences decline by a power law of age whose
 * exponent differs from video to video, between days and weekdays, by chance, and a hundredth is found by many on one day. Pure: the same for
 * the same seed.
 */
export function makeWorkload({ videos, hours, plays, seed }: Workload): SimulatedVideo[] {
  const random = seeded(seed)
  const all: { video: SimulatedVideo; shape: Float64Array }[] = []
  const total = HISTORY_HOURS + hours
  const ranks = shuffled(videos, random)
  for (let at = 0; at < videos; at++) {
    // A third is published within the simulation or the four weeks before, the others up to two years earlier.
    const publishedAt = random() < 0.34 ? -HISTORY_HOURS + random() * total : -HISTORY_HOURS - random() * 730 * 24
    const decline = random() * 1.6
    const popularity = ((ranks[at] as number) + 1) ** -0.9
    const surge = random() < 0.01 ? { from: random() * total, times: 5 + random() * 40 } : undefined
    const shape = new Float64Array(total)
    let mood = 1
    for (let hour = 0; hour < total; hour++) {
      if (hour % 24 === 0) mood = Math.exp(0.35 * normal(random))
      const ageDays = (hour - HISTORY_HOURS - publishedAt) / 24
      if (ageDays < 0) continue
      const surged = surge && hour >= surge.from ? 1 + surge.times * 2 ** (-(hour - surge.from) / 48) : 1
      const daily = (HOURS[hour % 24] as number) * (WEEKDAYS[Math.floor(hour / 24) % 7] as number)
      shape[hour] =
        popularity * daily * mood * surged * (ageDays + 1) ** -decline * (publishedAt < -HISTORY_HOURS ? 20 ** decline : 4 ** decline)
    }
    const size = SIZES[pick(SIZES, random)] as (typeof SIZES)[number]
    const durationSec = Math.min(7_200, 60 + 420 * Math.exp(0.9 * normal(random)))
    const pixels = size.pixels.reduce((sum, one) => sum + one, 0)
    const video: SimulatedVideo = {
      publishedAt,
      durationSec,
      bandwidth: size.bandwidth,
      bytes: (size.rate / 8) * durationSec,
      megapixels: (pixels * durationSec * 30) / 1e6,
      ...{ isHdr: false, hasAv1: false, hasSlowerPreset: false },
      bytesRatio: clamp(0.58 + 0.1 * normal(random), 0.3, 0.95),
      cpuSecPerMegapixel: 0.045 * Math.exp(0.25 * normal(random)),
      slowerRatio: clamp(0.9 + 0.06 * normal(random), 0.75, 1.03),
      slowerCpuSecPerMegapixel: 0.05 * Math.exp(0.25 * normal(random)),
      plays: new Uint32Array(total),
      playsUpTo: new Uint32Array(total + 1),
    }
    all.push({ video, shape })
  }
  const weight = all.reduce((sum, { shape }) => sum + shape.subarray(HISTORY_HOURS).reduce((a, b) => a + b, 0), 0)
  for (const { video, shape } of all) {
    for (let hour = 0; hour < total; hour++) {
      const count = poisson(((shape[hour] as number) * plays) / weight, random)
      video.plays[hour] = count
      video.playsUpTo[hour + 1] = (video.playsUpTo[hour] as number) + count
    }
  }
  return all.map(({ video }) => video)
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))

const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

function poisson(mean: number, random: () => number): number {
  if (mean <= 0) return 0
  if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)))
  let left = Math.exp(-mean)
  let chance = random()
  let count = 0
  while (chance > left && count < 1_000) {
    chance -= left
    left *= mean / ++count
  }
  return count
}

function shuffled(count: number, random: () => number): number[] {
  const list = Array.from({ length: count }, (_, at) => at)
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[list[at], list[other]] = [list[other] as number, list[at] as number]
  }
  return list
}

function pick(list: readonly { share: number }[], random: () => number): number {
  const chance = random()
  let sum = 0
  for (const [at, { share }] of list.entries()) {
    sum += share
    if (chance < sum) return at
  }
  return list.length - 1
}
