/** How often a random thing is done: a few times in every run of the tests, often under `npm run soak`. */
export const rounds = (usual: number, soak: number): number => (process.env.REELGATE_SOAK ? soak : usual)
