/** Prices in US dollars. */
export interface Prices {
  /** Of 10^9 bytes that are delivered to viewers. */
  deliveryPerGb: number
  /** Of 10^9 bytes that are stored for a month of 30 days. */
  storagePerGbMonth: number
  /** Of an hour of one core. */
  cpuHour: number
}

/** What this installation knows about a further codec. */
export interface CodecFacts {
  /** Bytes of the codec divided by those of H.264, of the same videos. */
  bytesRatio: number
  /** Processor seconds for a million pixels. */
  cpuSecPerMegapixel: number
  /** Share of viewers whose player can decode the codec. */
  viewerShare: number
  /** Share of these whose screen shows HDR, and who get the codec of an HDR video. */
  hdrShare: number
}

/** What a further codec of a video depends on. */
export interface VideoFacts {
  /** Of the picture of its H.264 renditions. */
  bytes: number
  /** Pixels of all renditions, in millions: width times height times frames. */
  megapixels: number
  /** Bits per second of H.264 that its viewers receive on average. */
  bandwidth: number
  /** Whether its source is HDR: its renditions in the codec are so, and viewers without an HDR screen get H.264. */
  isHdr: boolean
}

/** Assumed share of the bytes of H.264. Six clips needed half at equal VMAF (docs/quality.md); their choice may flatter AV1. */
export const PRIOR_BYTES_RATIO = 0.6
/** Of SVT-AV1 preset 8 with decoding: 15 s of 854 × 480 at 24 frames per second took 8.2 and 10.1 CPU seconds (docs/codecs.md). */
export const PRIOR_CPU_SEC_PER_MEGAPIXEL = 0.06
/** Videos that the prior counts as, against those that this installation has measured. */
const PRIOR_VIDEOS = 3

/** Returns the mean of what is measured, and of what is assumed as if it were the result of a few videos. */
export const withPrior = (prior: number, measured: { mean: number; videos: number }): number =>
  (prior * PRIOR_VIDEOS + measured.mean * measured.videos) / (PRIOR_VIDEOS + measured.videos)

/** Hours of watch time that an assumed share counts as: some viewers of many videos, rather than many viewers. */
const PRIOR_HOURS = 20

/** Returns the share that `part` has of `hours` of watch time, with what is assumed as if it were measured in some hours. */
export const shrunkShare = (assumed: number, { part, hours }: { part: number; hours: number }): number =>
  (assumed * PRIOR_HOURS + part) / (PRIOR_HOURS + hours)

const GB = 1e9
const MONTH_DAYS = 30

/** Returns the bytes of H.264 that viewers receive while they watch for some seconds. */
export const deliveredBytes = (video: Pick<VideoFacts, 'bandwidth'>, watchSec: number): number => (watchSec * video.bandwidth) / 8

/** Returns what the codec saves in delivery while viewers watch for some seconds. */
export function savedByWatching(video: VideoFacts, codec: CodecFacts, prices: Prices, watchSec: number): number {
  const share = codec.viewerShare * (video.isHdr ? codec.hdrShare : 1)
  return (deliveredBytes(video, watchSec) / GB) * (1 - codec.bytesRatio) * share * prices.deliveryPerGb
}

/** Returns what the renditions of the codec cost in storage for some days; `bytes` are theirs once they are known. */
export function storageCost(
  video: VideoFacts,
  codec: CodecFacts,
  prices: Prices,
  days: number,
  bytes = video.bytes * codec.bytesRatio,
): number {
  return (bytes / GB) * prices.storagePerGbMonth * (days / MONTH_DAYS)
}

/** Returns what encoding the video once costs. */
export const encodingCost = (video: VideoFacts, codec: CodecFacts, prices: Prices): number =>
  ((video.megapixels * codec.cpuSecPerMegapixel) / 3_600) * prices.cpuHour
