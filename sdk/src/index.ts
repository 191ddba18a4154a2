export { type ErrorCode, type RateLimit, ReelgateConnectionError, ReelgateError } from './error.js'
export type {
  ApiError,
  Balance,
  Captions,
  CreatedUpload,
  CreateUpload,
  DeletedVideo,
  EndedViewer,
  Erasure,
  Event,
  ListedViewer,
  PlaybackManifest,
  PlaybackPolicy,
  PlaybackQuality,
  PlaybackToken,
  Plays,
  Upload,
  Usage,
  Video,
  VideoViewer,
  Viewer,
  ViewerVideo,
} from './generated/types.gen.js'
export { type EventPage, type Expansion, Reelgate, type ReelgateOptions, type UploadPage, type VideoPage } from './reelgate.js'
export { type Progress, type SendFileOptions, sendFile } from './send-file.js'
export type { FromFileOptions, Uploads } from './uploads.js'
export { type ConstructEventOptions, ReelgateSignatureError, webhooks } from './webhooks.js'
