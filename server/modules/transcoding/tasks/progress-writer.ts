import { log } from '../../../platform/observe/log.ts'
import { untraced } from '../../../platform/observe/tracing.ts'
import type { TranscodeLease } from './lease.ts'
import { recordProgress } from './task-writes.ts'

const WRITE_MS = 1_000
const LEAST_SHARE = 0.005

export interface ProgressWriter {
  /** Takes the finished share, 0 to 1. */
  note(share: number): void
  /** Ends writing, and waits for a running write: one that ends after the result is stored would find no lease. */
  stop(): Promise<void>
}

/** Stores a task's changed progress at most once a second, and calls `onLost` if the lease is lost. */
export function progressWriter(lease: TranscodeLease, onLost: () => void): ProgressWriter {
  let written = 0
  let dueAt = 0
  let isStopped = false
  let writing: Promise<void> = Promise.resolve()
  return {
    note(share) {
      const now = performance.now()
      if (isStopped || now < dueAt || share - written < LEAST_SHARE) return
      dueAt = now + WRITE_MS
      written = share
      writing = untraced(() => recordProgress(lease, share)).then(
        (mine) => {
          if (!mine) onLost()
        },
        // A short outage of the database does not stop encoding. Only the final write is required, and it is retried.
        (error: Error) => log().debug({ err: error.message }, 'could not write progress'),
      )
    },
    stop() {
      isStopped = true
      return writing
    },
  }
}
