/** What videos are encoded in on demand: AV1 in addition to H.264, or H.264 with a slower preset in place of the first one. */
export const DEMAND_CODECS = ['av1', 'h264'] as const
export type DemandCodec = (typeof DEMAND_CODECS)[number]
export type DemandMode = 'never' | 'demand' | 'always'

/** What is true of a codec of a video, in the order of a decision. */
export const CODEC_STATES = ['off', 'unavailable', 'notWorth', 'waiting', 'encoding', 'stored', 'refused', 'dropped'] as const
export type CodecState = (typeof CODEC_STATES)[number]

/** Money in US dollars, sizes in bytes. */
export interface VideoCodec {
  codec: DemandCodec
  /** Of x264; null for AV1. */
  preset: string | null
  state: CodecState
  /** The setting in force. */
  mode: DemandMode
  /** Of the next 30 days, by the plays so far. */
  forecast: { watchSec: number; saving: number; storage: number; encoding: number; net: number }
  /** Renditions that players are offered, and what they saved since then; null without them. */
  stored: { since: Date; bytes: number; h264Bytes: number; saved: number } | null
  /** What was expected of the 30 days after the last decision that is older, and what came of it. */
  month: { forecast: number; real: number; since: Date } | null
  /** When encoding was tried last and its result was dropped; null when it was not. */
  droppedAt: Date | null
}

/** A share of the watch time that decisions use. */
export interface ViewerShare {
  value: number
  /** The setting. */
  assumed: number
  /** Of watch time, in which it was measured; 0: the setting holds. */
  hours: number
}

/** Money of all videos, in US dollars. */
export interface InstallationCodec {
  codec: DemandCodec
  /** Of x264; null for AV1. */
  preset: string | null
  mode: DemandMode
  prices: { deliveryPerGb: number; storagePerGbMonth: number; cpuHour: number }
  /** Watch time whose player uses AV1, and the part of it on a screen that shows HDR. */
  viewerShare: ViewerShare
  hdrShare: ViewerShare
  /** Bytes divided by those of H.264 with the first preset as expected of the next video, and videos that this was measured of. */
  bytesRatio: number
  measuredVideos: number
  videos: { stored: number; waiting: number; encoding: number; dropped: number; evicted: number }
  /** Of the renditions that players are offered, and of H.264 of the same videos: next to AV1, or before a slower preset. */
  bytes: number
  h264Bytes: number
  /** Of the next 30 days, of the videos that wait. */
  waitingNet: number
  /** What was expected to be saved after all costs, and what was: decisions of which 30 days have passed. */
  settled: { decisions: number; forecast: number; real: number }
}
