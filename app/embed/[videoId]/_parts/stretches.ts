/** The number of parts that a video is divided into for the retention curve. */
export const STRETCHES = 20

/** Returns the parts of a video of `duration` seconds that overlap the played ranges; none while its duration is unknown. */
export function stretchesOf(played: Pick<TimeRanges, 'length' | 'start' | 'end'>, duration: number): Set<number> {
  const touched = new Set<number>()
  const stretchAt = (second: number) => Math.min(STRETCHES - 1, Math.floor((second / duration) * STRETCHES))
  for (let range = 0; range < played.length; range++) {
    const last = stretchAt(played.end(range))
    for (let stretch = stretchAt(played.start(range)); stretch <= last; stretch++) touched.add(stretch)
  }
  return touched
}
