/** Maximum number of streams in a file; a video with sound in every common language has fewer. */
export const MAX_STREAMS = 64
/** Maximum frames a second: slow motion is recorded at 240, and 1000 is only the time base of recordings by browsers. */
export const MAX_FRAME_RATE = 300
