/** Streams of a file that are worth looking at; a film with every language of the world has fewer. */
export const MAX_STREAMS = 64
/** Frames a second at most: slow motion is filmed at 240, and 1000 is merely the clock that browsers' recordings count in. */
export const MAX_FRAME_RATE = 300
