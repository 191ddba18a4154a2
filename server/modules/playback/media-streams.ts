import type { SegmentList } from './segment-list.ts'

/** Rates in bits per second; the average is unknown while a stream grows. */
interface Rates {
  bandwidth: number
  averageBandwidth: number | undefined
  codecs: string
}

/** One rendition as in playlists. */
export interface RenditionStream extends Rates, SegmentList {
  quality: string
  width: number
  height: number
  frameRate: number
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
