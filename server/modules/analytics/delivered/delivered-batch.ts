/** What was delivered of one segment: bytes that were sent, and redirections to its bucket. */
export interface Delivered {
  bytes: number
  redirections: number
}

/** Counts of one interval, by media id and file name of the segment. The id makes a repeated write count once. */
export interface DeliveredBatch {
  id: string
  media: Map<string, Map<string, Delivered>>
  /** End of the interval (`performance.now()`). */
  endedAt: number
}
