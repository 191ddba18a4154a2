import type { Codec } from '../../videos/codecs-schema.ts'
import type { Storyboard } from '../../videos/schema.ts'
import type { SegmentList } from '../segments/segment-list.ts'

/** Rates in bits per second. The average is unknown while a stream grows. */
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
  /** The initialization section of fragmented MP4. Null or absent for MPEG-TS. */
  init?: Buffer | null
}

/** An audio track that plays with every rendition. */
export interface AudioStream extends Rates, SegmentList {
  /** Order in the source, from 0. */
  position: number
  /** BCP 47. Null if the source does not state it. */
  language: string | null
  name: string
  isDefault: boolean
  channels: number
}

/** Only a rendition's keyframes, for scanning. */
export interface IframeStream extends Rates, SegmentList {
  quality: string
  width: number
  height: number
}

/** Captions in one language. `name` is their name in storage. */
export interface CaptionTrack {
  language: string
  label: string
  name: string
  /** Whether they were made from speech, and nobody has edited them. */
  automatic?: boolean
}

/** Data for the playlists, the key and the pictures of a video that is COMPLETED, or playable while PROCESSING. */
export interface VideoStreams {
  /** The media whose streams they are. */
  mediaId: string
  /** Suffix of its playlists' names: a dash and `mediaId`. Empty for a video's first media. */
  suffix: string
  /** The streams of former media, for sessions from its time, without captions. */
  former: readonly VideoStreams[]
  /** H.264 first, highest to lowest, then additional codecs. */
  renditions: RenditionStream[]
  /** In the source's order. Empty for a video without audio. */
  audio: AudioStream[]
  /** Empty while the video grows. */
  iframes: IframeStream[]
  /** Channels of captions in the picture (CEA-608). */
  closedCaptions: readonly string[]
  /** Whether the streams have all their segments. */
  isWhole: boolean
  /** Whether it was playable before they had. Its playlists then keep the type that can grow. */
  playedEarly: boolean
  /** What the streams' keys derive from (`streamKey`). Undefined if the video is not encrypted. */
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
