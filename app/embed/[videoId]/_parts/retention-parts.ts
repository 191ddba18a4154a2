/** The number of parts that a video is divided into for the retention curve. */
export const RETENTION_PARTS = 20

/** Returns the parts of a video of `duration` seconds that overlap the played ranges; none while its duration is unknown. */
export function playedParts(played: Pick<TimeRanges, 'length' | 'start' | 'end'>, duration: number): Set<number> {
  const touched = new Set<number>()
  const partAt = (second: number) => Math.min(RETENTION_PARTS - 1, Math.floor((second / duration) * RETENTION_PARTS))
  for (let range = 0; range < played.length; range++) {
    const last = partAt(played.end(range))
    for (let stretch = partAt(played.start(range)); stretch <= last; stretch++) touched.add(stretch)
  }
  return touched
}
