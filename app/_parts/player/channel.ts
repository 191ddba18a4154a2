/** Marks the messages between the player and the page around it. */
export const CHANNEL = 'reelgate-player'

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

/** What the page around the player asks of it. Times in seconds. */
export type PlayerCommand =
  | { channel: typeof CHANNEL; command: 'play' | 'pause' }
  | { channel: typeof CHANNEL; command: 'seek' | 'volume' | 'rate'; value: number }
  | { channel: typeof CHANNEL; command: 'mute'; value: boolean }
