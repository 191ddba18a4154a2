const { REELGATE_SOAK: isSoak, REELGATE_OTHER_FFMPEG: hasOtherFfmpeg } = process.env

/** Whether the tests are repeated, in short, with another ffmpeg (the project `media` of `npm test`). */
export const isRepeated = Boolean(hasOtherFfmpeg && !isSoak)

/** Returns how often a random action is repeated, or what else differs: the first in every test run, the second under `npm run soak`. */
export const rounds = <Value>(usual: Value, soak: Value): Value => (isSoak ? soak : usual)

/**
 * Returns the inputs of a test: the usual ones in every test run, `more` as well under `npm run soak`. Another ffmpeg repeats the first one
 * alone.
 */
export const inputs = <Input>(usual: readonly Input[], more: readonly Input[] = []): Input[] =>
  isSoak ? [...usual, ...more] : usual.slice(0, isRepeated ? 1 : undefined)
