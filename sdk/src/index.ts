export { type ErrorCode, ReelgateConnectionError, ReelgateError } from './error.js'
export type {
  ApiError,
  Balance,
  Captions,
  DeletedVideo,
  Event,
  PlaybackManifest,
  PlaybackToken,
  Usage,
  Video,
} from './generated/types.gen.js'
export { type EventPage, type Expansion, type RateLimit, Reelgate, type ReelgateOptions, type VideoPage } from './reelgate.js'
