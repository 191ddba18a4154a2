/** Returns how often a random action is repeated: a few times in every test run, often under `npm run soak`. */
export const rounds = (usual: number, soak: number): number => (process.env.REELGATE_SOAK ? soak : usual)
