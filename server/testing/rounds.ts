/** Returns how often a random action is repeated: a few times in every test run, often under `npm run soak`. */
export const rounds = (usual: number, soak: number): number => (process.env.REELGATE_SOAK ? soak : usual)

/** Returns the inputs of a test: the usual ones in every test run, `more` as well under `npm run soak`. */
export const inputs = <Input>(usual: readonly Input[], more: readonly Input[]): Input[] =>
  process.env.REELGATE_SOAK ? [...usual, ...more] : [...usual]
