/** The film in this many stretches, for the curve of who is still there. */
export const STRETCHES = 20

/** The stretches of a film of `duration` seconds in which some of what was played lies; none while its length is not known. */
export function stretchesOf(played: Pick<TimeRanges, 'length' | 'start' | 'end'>, duration: number): Set<number> {
  const touched = new Set<number>()
  const stretchAt = (second: number) => Math.min(STRETCHES - 1, Math.floor((second / duration) * STRETCHES))
  for (let range = 0; range < played.length; range++) {
    const last = stretchAt(played.end(range))
    for (let stretch = stretchAt(played.start(range)); stretch <= last; stretch++) touched.add(stretch)
  }
  return touched
}
