import type { CHANNEL, PlayerState } from '../../../_parts/player/channel.ts'
import type { NoticeName } from './notices.ts'

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
