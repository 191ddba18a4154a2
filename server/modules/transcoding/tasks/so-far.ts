import { log } from '../../../platform/observe/log.ts'
import { untraced } from '../../../platform/observe/tracing.ts'
import type { TranscodeLease } from './lease.ts'
import type { StreamResult } from './store.ts'
import { storeSoFar } from './task-writes.ts'

/** How often to look for new segments, and to write them. The first ones are written at once, because they make the video play. */
const LOOK_MS = 50
const WRITE_MS = 1_000

/**
 * Stores which segments of a stream players may already fetch, until it is stopped, which waits for a running write. Calls `onLost` if the
 * lease is lost.
 */
export function soFarWriter(lease: TranscodeLease, read: () => StreamResult, onLost: () => void): { stop(): Promise<void> } {
  let known = 0
  let dueAt = 0
  let writing: Promise<void> | undefined
  const timer = setInterval(() => {
    if (writing || performance.now() < dueAt) return
    const result = read()
    if (result.segments.length === known) return
    known = result.segments.length
    dueAt = performance.now() + WRITE_MS
    writing = untraced(() => storeSoFar(lease, result))
      .then(
        (mine) => {
          if (!mine) onLost()
        },
        (error: Error) => log().debug({ err: error.message }, 'could not list the segments of a stream'),
      )
      .finally(() => {
        writing = undefined
      })
  }, LOOK_MS)
  return {
    stop() {
      clearInterval(timer)
      return writing ?? Promise.resolve()
    },
  }
}
