const at = process.argv.indexOf('--only')
const wanted = at < 0 ? undefined : process.argv[at + 1]

/** Returns whether to measure the part of a benchmark with this name. Without `--only TEXT`, all are. */
export const isWanted = (name: string): boolean => wanted === undefined || name.includes(wanted)
