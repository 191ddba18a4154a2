import type { NoticeName } from './notices.ts'

/** How the player and the page around it talk. Nothing in it is secret: any page that may frame the player may listen. */
export const CHANNEL = 'reelgate-player'

/** Where the video stands; goes along with every event. Times in seconds. */
export interface PlayerState {
  currentTime: number
  /** 0 until it is known. */
  duration: number
  paused: boolean
  ended: boolean
  muted: boolean
  /** 0 to 1. */
  volume: number
  playbackRate: number
  /** The picture's own size; 0 until it is known. */
  videoWidth: number
  videoHeight: number
}

/** `error` comes with the screen that is shown instead of the video, and the service's code where it gave one. */
export type PlayerEvent =
  | { type: 'ready' | 'play' | 'pause' | 'timeupdate' | 'seeked' | 'ended' | 'volumechange' | 'ratechange' }
  | { type: 'error'; reason: NoticeName; code: string | undefined; message: string }

export type PlayerMessage = PlayerEvent & { channel: typeof CHANNEL; state: PlayerState }

export type PlayerCommand =
  | { channel: typeof CHANNEL; command: 'play' | 'pause' }
  | { channel: typeof CHANNEL; command: 'seek' | 'volume' | 'rate'; value: number }
  | { channel: typeof CHANNEL; command: 'mute'; value: boolean }
