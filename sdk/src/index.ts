export { type ErrorCode, ReelgateConnectionError, ReelgateError } from './error.js'
export type {
  ApiError,
  Balance,
  Captions,
  CreatedUpload,
  CreateUpload,
  DeletedVideo,
  Event,
  PlaybackManifest,
  PlaybackToken,
  Upload,
  Usage,
  Video,
} from './generated/types.gen.js'
export { type EventPage, type Expansion, type RateLimit, Reelgate, type ReelgateOptions, type VideoPage } from './reelgate.js'
