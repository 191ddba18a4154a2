const { REELGATE_SOAK: isSoak, REELGATE_OTHER_FFMPEG: hasOtherFfmpeg } = process.env

/** Whether the tests are repeated, in short, with another ffmpeg (the project `media` of `npm test`). */
export const isRepeated = Boolean(hasOtherFfmpeg && !isSoak)

/** Returns how often a random action is repeated: a few times in every test run, often under `npm run soak`. */
export const rounds = (usual: number, soak: number): number => (isSoak ? soak : usual)

/**
 * Returns the inputs of a test: the usual ones in every test run, `more` as well under `npm run soak`. Another ffmpeg repeats the first one
 * alone.
 */
export const inputs = <Input>(usual: readonly Input[], more: readonly Input[] = []): Input[] =>
  isSoak ? [...usual, ...more] : usual.slice(0, isRepeated ? 1 : undefined)
