/** Maximum number of streams in a file. A video with audio in every common language has fewer. */
export const MAX_STREAMS = 64
/** Maximum length of a side in square pixels: encoders accept no longer one. */
export const MAX_SIDE = 16_384
/** Maximum frame rate: slow motion is recorded at 240, and 1000 is only the time base of browser recordings. */
export const MAX_FRAME_RATE = 300
/** Maximum frames times pixels of a video, in billions, per hour of MAX_VIDEO_HOURS. 1080p at 60 frames per second has 448. */
export const MAX_GIGAPIXELS_AN_HOUR = 500
/** Seconds that encoding may take per second of video, in addition to a quarter of an hour. */
export const PATIENCE = 40
