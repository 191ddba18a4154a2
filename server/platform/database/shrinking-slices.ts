import { log } from '../observe/log.ts'

/** How many times smaller a slice is after one that failed. */
const SHRINK = 8

/**
 * Repeats `some`, which processes up to `most` rows in a transaction and returns how many, until it finds none. Continues with smaller
 * slices after a failure: rows can have so many others with them that together they exceed the time limit of a statement. Throws if a
 * single row fails. Returns the number of rows.
 */
export async function inShrinkingSlices(most: number, some: (most: number) => Promise<number>, signal?: AbortSignal): Promise<number> {
  let done = 0
  for (let size = most; ; ) {
    signal?.throwIfAborted()
    try {
      const found = await some(size)
      if (found === 0) return done
      done += found
    } catch (error) {
      if (size === 1) throw error
      size = Math.ceil(size / SHRINK)
      log().warn({ err: error, size }, 'a slice failed; continuing with smaller ones')
    }
  }
}
