export { type ErrorCode, ReelgateConnectionError, ReelgateError } from './error.js'
export type { ApiError, Balance, PlaybackManifest, PlaybackToken, Usage, Video } from './generated/types.gen.js'
export { type RateLimit, Reelgate, type ReelgateOptions, type VideoPage } from './reelgate.js'
