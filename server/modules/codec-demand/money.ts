import type { DemandCodec } from './state.ts'

/** Prices in US dollars. */
export interface Prices {
  /** Of 10^9 bytes that are delivered to viewers. */
  deliveryPerGb: number
  /** Of 10^9 bytes that are stored for a month of 30 days. */
  storagePerGbMonth: number
  /** Of an hour of one core. */
  cpuHour: number
}

/** What this installation knows about a codec, or about H.264 with a slower preset. */
export interface CodecFacts {
  /** Whether its renditions take the place of those of H.264, and are not stored next to them. */
  replaces: boolean
  /** Its bytes divided by those of H.264 with the first preset, of the same videos. */
  bytesRatio: number
  /** Bytes of H.264 with a slower preset divided by those with the first one. */
  slowerRatio: number
  /** Processor seconds for a million pixels. */
  cpuSecPerMegapixel: number
  /** Share of viewers whose player uses AV1. */
  viewerShare: number
  /** Share of these whose screen shows HDR, and who get the AV1 of an HDR video. */
  hdrShare: number
}

/** What a decision about a codec of a video depends on. */
export interface VideoFacts {
  /** Of the picture of its H.264 renditions. */
  bytes: number
  /** Pixels of all renditions, in millions: width times height times frames. */
  megapixels: number
  /** Bits per second of H.264 that its viewers receive on average. */
  bandwidth: number
  /** Whether its source is HDR: its renditions in AV1 are so, and viewers without an HDR screen get H.264. */
  isHdr: boolean
  /** Whether it has AV1, or is going to. */
  hasAv1: boolean
  /** Whether its H.264 has a slower preset already. */
  hasSlowerPreset: boolean
}

/**
 * What is assumed before anything is measured (docs/codecs.md, docs/quality.md). Six clips needed half of the bytes in AV1 at equal VMAF; their
 * choice may flatter it. Processor time with decoding: 15 s of 854 × 480 at 24 frames a second took 8.2 and 10.1 CPU seconds in AV1.
 */
export const PRIORS: Record<DemandCodec, Pick<CodecFacts, 'bytesRatio' | 'cpuSecPerMegapixel'>> = {
  av1: { bytesRatio: 0.6, cpuSecPerMegapixel: 0.06 },
  h264: { bytesRatio: 0.9, cpuSecPerMegapixel: 0.06 },
}
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

/** Returns the bytes of the codec divided by those of the H.264 that the video has. */
const ratioTo = ({ hasSlowerPreset }: VideoFacts, { bytesRatio, slowerRatio }: CodecFacts): number =>
  hasSlowerPreset ? Math.min(1, bytesRatio / slowerRatio) : bytesRatio

/** Returns the share of the watch time that gets the codec: H.264 goes to all that AV1 does not go to. */
function shareOf({ isHdr, hasAv1 }: VideoFacts, { replaces, viewerShare, hdrShare }: CodecFacts): number {
  const av1 = viewerShare * (isHdr ? hdrShare : 1)
  return replaces ? 1 - (hasAv1 ? av1 : 0) : av1
}

/** Returns what the codec saves in delivery while viewers watch for some seconds. */
export function savedByWatching(video: VideoFacts, codec: CodecFacts, prices: Prices, watchSec: number): number {
  return (deliveredBytes(video, watchSec) / GB) * (1 - ratioTo(video, codec)) * shareOf(video, codec) * prices.deliveryPerGb
}

/**
 * Returns what the renditions of the codec cost in storage for some days, below 0 where they take the place of greater ones; `bytes` are theirs
 * once they are known.
 */
export function storageCost(
  video: VideoFacts,
  codec: CodecFacts,
  prices: Prices,
  days: number,
  bytes = video.bytes * ratioTo(video, codec),
): number {
  const added = bytes - (codec.replaces ? video.bytes : 0)
  return (added / GB) * prices.storagePerGbMonth * (days / MONTH_DAYS)
}

/** What is known once a codec is stored: its bytes, and those of H.264 next to it or before it. */
export interface StoredBytes {
  bytes: number
  h264Bytes: number
}

/** Returns a video and a codec with the bytes that are stored in place of those that were expected. A video that was encoded again is as it was before. */
export function asStored(
  video: VideoFacts,
  codec: CodecFacts,
  { bytes, h264Bytes }: StoredBytes,
): { video: VideoFacts; codec: CodecFacts } {
  const before = codec.replaces ? h264Bytes : video.bytes
  const ratio = before > 0 ? bytes / before : 1
  return {
    video: { ...video, hasSlowerPreset: false, ...(codec.replaces && { bytes: before, bandwidth: video.bandwidth / ratio }) },
    codec: { ...codec, bytesRatio: ratio },
  }
}

/** Returns what encoding the video once costs. */
export const encodingCost = (video: VideoFacts, codec: CodecFacts, prices: Prices): number =>
  ((video.megapixels * codec.cpuSecPerMegapixel) / 3_600) * prices.cpuHour
