import { services } from '../container.ts'
import { asService } from '../turns/caller.ts'
import { query } from './database.ts'

/** The statement that makes earlier commits durable, while it runs, and the one that begins when it ends. */
interface Flushes {
  running?: Promise<unknown>
  next?: Promise<unknown>
}

declare module '../container.ts' {
  interface Services {
    commitFlushes: Flushes
  }
}

/** A setting of a transaction whose COMMIT does not wait until it is durable, so that its locks end earlier. */
export const DURABLE_LATER = 'synchronous_commit = off'

/** Its own commit waits for the log up to it, and thereby for all commits before it, at standbys as well. */
const FLUSH = "SELECT pg_logical_emit_message(true, 'reelgate', '')"

/**
 * Resolves once every transaction is durable that was committed before the call, on any connection. Callers share a statement. Rejects when
 * the database fails: what was committed may be lost then.
 */
export function commitsFlushed(): Promise<unknown> {
  const flushes = services().commitFlushes
  // One that runs may have begun before the commit of the caller.
  flushes.next ??= Promise.resolve(flushes.running).then(begin, begin)
  return flushes.next
}

function begin(): Promise<unknown> {
  const flushes = services().commitFlushes
  flushes.running = asService(() => query('flush-commits', FLUSH, []))
  delete flushes.next
  return flushes.running
}
