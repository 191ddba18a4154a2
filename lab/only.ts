const at = process.argv.indexOf('--only')
const wanted = at < 0 ? undefined : process.argv[at + 1]

/** Returns whether the part of a benchmark with this name is measured: all are without `--only TEXT`. */
export const isWanted = (name: string): boolean => wanted === undefined || name.includes(wanted)
