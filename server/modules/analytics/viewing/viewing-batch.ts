import type { ErrorKind } from './viewer-limits.ts'

/** What is known about the viewer of a report: one value of each dimension. */
export interface ViewerFacts {
  country: string
  device: string
  browser: string
  os: string
  referrer: string
}
export const FACTS = ['country', 'device', 'browser', 'os', 'referrer'] as const satisfies readonly (keyof ViewerFacts)[]

/** The part of a report that is plausible and not counted yet. Times in milliseconds. */
export interface ViewingNews {
  watchMs: number
  rebufferMs: number
  rebuffers: number
  errors: number
  errorKind: ErrorKind | undefined
  /** Parts of the video that were reached for the first time, 0 or 1 each. */
  retention: number[]
  /** Watched milliseconds by frame height. 0: unknown. */
  heights: [height: number, ms: number][]
  /** Set when the viewing starts: the bucket of its startup time. */
  startup: number | undefined
}

/** A viewing that starts. It counts as one play, once per ID. */
interface Start extends ViewerFacts {
  id: string
  bucket: number
}

/** What viewers with the same facts have seen. Times in milliseconds. */
export interface Seen {
  facts: ViewerFacts
  watchMs: number
  rebufferMs: number
  /** Errors by kind. */
  failures: Map<string, number>
  /** Viewings that reached each of `REACHED_PARTS`. */
  reached: number[]
  /** Watched milliseconds by frame height. 0: unknown. */
  heights: Map<string, number>
}

/** Reports on one video, under one key's tokens, since the last write. */
export interface Group {
  videoId: string
  /** Of the key or share link that issued the token. Empty for neither. */
  reference: string
  sums: Pick<ViewingNews, 'watchMs' | 'rebufferMs' | 'rebuffers' | 'errors' | 'retention'>
  starts: Start[]
  /** By facts. */
  seen: Map<string, Seen>
}

/** Counts of one interval. Its ID makes a repeated write count once. */
export interface ViewingBatch {
  id: string
  groups: Group[]
  /** End of the interval (`performance.now()`). */
  endedAt: number
}
