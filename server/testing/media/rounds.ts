const { REELGATE_SOAK: isSoak, REELGATE_OTHER_FFMPEG: hasOtherFfmpeg } = process.env
const isGate = process.env.REELGATE_TESTS === 'gate'

/** Whether tests use only the first of their inputs: in `npm test`, and when another ffmpeg repeats them (the project `media`). */
export const isShort = Boolean((isGate || hasOtherFfmpeg) && !isSoak)

/**
 * Returns how often a random action is repeated, or what else differs: the first in every test run, the second under `npm run soak`, the
 * third in `npm test`.
 */
export const rounds = <Value>(usual: Value, soak: Value, gate = usual): Value => (isSoak ? soak : isGate ? gate : usual)

/**
 * Returns the inputs of a test: the usual ones in `npm run test:all`, `more` as well under `npm run soak`, the first one alone where
 * `isShort`.
 */
export const inputs = <Input>(usual: readonly Input[], more: readonly Input[] = []): Input[] =>
  isSoak ? [...usual, ...more] : usual.slice(0, isShort ? 1 : undefined)
