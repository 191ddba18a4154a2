import { statSync } from 'node:fs'

/** Finds completed segments: only those have their final names. An empty one marks a picture without frames. */
export interface SegmentWatch {
  /** Calls back for each segment that was completed since the last scan, in order within a name. */
  scan(onSegment: (name: string, sequence: number, path: string) => void): void
  /** Segments found, including those deleted since. */
  count: (name: string) => number
}

/** Watches segments numbered from `first` in each of several series. */
export function segmentWatch(input: {
  first: number
  names: readonly string[]
  pathOf: (name: string, sequence: number) => string
}): SegmentWatch {
  const found = new Map(input.names.map((name) => [name, 0]))
  return {
    scan(onSegment) {
      for (const [name, before] of found) {
        let count = before
        for (; sizeOf(input.pathOf(name, input.first + count)) > 0; count++)
          onSegment(name, input.first + count, input.pathOf(name, input.first + count))
        found.set(name, count)
      }
    },
    count: (name) => found.get(name) ?? 0,
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
