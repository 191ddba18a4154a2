export { type ErrorCode, ReelgateConnectionError, ReelgateError } from './error.js'
export type {
  ApiError,
  Balance,
  CreatedUpload,
  CreateUpload,
  Event,
  PlaybackManifest,
  PlaybackToken,
  Upload,
  Usage,
  Video,
} from './generated/types.gen.js'
export { type EventPage, type RateLimit, Reelgate, type ReelgateOptions, type VideoPage } from './reelgate.js'
