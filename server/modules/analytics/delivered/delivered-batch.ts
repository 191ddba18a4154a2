/** What was delivered of one segment: bytes sent, and redirects to its bucket. */
export interface Delivered {
  bytes: number
  redirections: number
}

/** Counts of one interval, by media ID and segment file name. The ID makes a repeated write count once. */
export interface DeliveredBatch {
  id: string
  media: Map<string, Map<string, Delivered>>
  /** End of the interval (`performance.now()`). */
  endedAt: number
}
