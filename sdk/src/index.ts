export { type ErrorCode, ReelgateConnectionError, ReelgateError } from './error.js'
export type { ApiError, PlaybackManifest, PlaybackToken, Video } from './generated/types.gen.js'
export { type RateLimit, Reelgate, type ReelgateOptions, type VideoPage } from './reelgate.js'
