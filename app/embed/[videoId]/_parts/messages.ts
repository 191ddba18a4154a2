import type { CHANNEL } from '../../../_parts/player/channel.ts'
import type { NoticeName } from './notices.ts'

/** The state of the video, sent with every event. Times in seconds. */
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
  /** The video's own size; 0 until it is known. */
  videoWidth: number
  videoHeight: number
}

/**
 * `error` carries the notice that is shown instead of the video, and the service's code, or the player's own, such as `PLAYER_OFFLINE`.
 * `fill` asks the element to fill its page, or no longer.
 */
export type PlayerEvent =
  | { type: 'fill'; value: boolean }
  | { type: 'ready' | 'play' | 'pause' | 'timeupdate' | 'seeked' | 'ended' | 'volumechange' | 'ratechange' }
  | { type: 'error'; reason: NoticeName; code: string; message: string }

/** A message to the page around the player. It holds no secrets: any page that may frame the player may listen. */
export type PlayerMessage = PlayerEvent & { channel: typeof CHANNEL; state: PlayerState }

export type PlayerCommand =
  | { channel: typeof CHANNEL; command: 'play' | 'pause' }
  | { channel: typeof CHANNEL; command: 'seek' | 'volume' | 'rate'; value: number }
  | { channel: typeof CHANNEL; command: 'mute'; value: boolean }
