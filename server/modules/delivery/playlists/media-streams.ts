import type { Codec } from '../../videos/codecs-schema.ts'
import type { Storyboard } from '../../videos/schema.ts'
import type { SegmentList } from '../segments/segment-list.ts'

/** Rates in bits per second; the average is unknown while a stream grows. */
interface Rates {
  bandwidth: number
  averageBandwidth: number | undefined
  codecs: string
}

/** One rendition as in playlists. */
export interface RenditionStream extends Rates, SegmentList {
  codec: Codec
  quality: string
  width: number
  height: number
  frameRate: number
  /** The initialization section of fragmented MP4; null or absent for MPEG-TS. */
  init?: Buffer | null
}

/** A track of sound that plays with every rendition. */
export interface AudioStream extends Rates, SegmentList {
  /** Order in the source, from 0. */
  position: number
  /** BCP 47; null when the source does not state it. */
  language: string | null
  name: string
  isDefault: boolean
  channels: number
}

/** Key frames of a rendition alone, for scanning. */
export interface IframeStream extends Rates, SegmentList {
  quality: string
  width: number
  height: number
}

/** Captions in one language; `name` is their name in storage. */
export interface CaptionTrack {
  language: string
  label: string
  name: string
}

/** Data for the playlists, the key and the pictures of a video that is COMPLETED, or playable while PROCESSING. */
export interface VideoStreams {
  /** The media whose streams they are. */
  mediaId: string
  /** What the names of its playlists end with: a dash and `mediaId`; empty for the first media of a video. */
  suffix: string
  /** Those of former media, for the sessions of its time, without captions. */
  former: readonly VideoStreams[]
  /** Those of H.264, highest first, then those of further codecs. */
  renditions: RenditionStream[]
  /** In the order of the source. Empty for a video without sound, and for one whose renditions contain it. */
  audio: AudioStream[]
  /** Empty while the video grows, and for one of an earlier version. */
  iframes: IframeStream[]
  /** Channels of captions in the picture (CEA-608). */
  closedCaptions: readonly string[]
  /** Whether the streams have all their segments. */
  isWhole: boolean
  /** Whether it was playable before they had: its playlists stay of the type that may grow. */
  playedEarly: boolean
  /** AES-128, 16 bytes; undefined when the video is not encrypted. */
  contentKey: Buffer | undefined
  durationSec: number
  /** By label. */
  captions: CaptionTrack[]
  /** Names of the poster and of its candidates. */
  poster: string | null
  posterCandidates: string[]
  posterUploaded: string | null
  storyboard: Storyboard | null
}
