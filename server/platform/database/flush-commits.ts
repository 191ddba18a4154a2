import { services } from '../container.ts'
import { asService } from '../turns/caller.ts'
import { query } from './database.ts'

/** The running statement that makes earlier commits durable, and the one that starts when it ends. */
interface Flushes {
  running?: Promise<unknown>
  next?: Promise<unknown>
}

declare module '../container.ts' {
  interface Services {
    commitFlushes: Flushes
  }
}

/** A transaction setting with which COMMIT returns before it is durable, so that locks end earlier. */
export const DURABLE_LATER = 'synchronous_commit = off'

/** Its own commit waits for the log up to it, and so for all earlier commits, on standbys too. */
const FLUSH = "SELECT pg_logical_emit_message(true, 'reelgate', '')"

/**
 * Resolves once every transaction committed before the call is durable, on any connection. Callers share a statement. Rejects when the
 * database fails: what was committed may then be lost.
 */
export function commitsFlushed(): Promise<unknown> {
  const flushes = services().commitFlushes
  // One that is already running may have started before the caller's commit.
  flushes.next ??= Promise.resolve(flushes.running).then(begin, begin)
  return flushes.next
}

function begin(): Promise<unknown> {
  const flushes = services().commitFlushes
  flushes.running = asService(() => query('flush-commits', FLUSH, []))
  delete flushes.next
  return flushes.running
}
