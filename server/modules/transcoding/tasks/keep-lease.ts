import { setTimeout as wait } from 'node:timers/promises'
import { asServiceError } from '../../../errors.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { log } from '../../../platform/observe/log.ts'
import { untraced } from '../../../platform/observe/tracing.ts'
import { intake } from './intake.ts'
import { RENEW_MS, renewLease, type TranscodeLease } from './lease.ts'

/**
 * Renews the lease until the returned function is called. Calls `onLost` when the lease is lost, at once when the video is deleted or fails.
 */
export function keepLease(lease: TranscodeLease, onLost: () => void): () => void {
  const keep = () =>
    untraced(() => renewLease(lease)).then(
      (mine) => mine || onLost(),
      // An outage of the database does not stop encoding; the next successful query detects a lost lease.
      (error: Error) => {
        intake().databaseFailed()
        log().debug({ err: error.message }, 'a lease could not be renewed')
      },
    )
  const timer = setInterval(keep, RENEW_MS)
  const unsubscribe = notifications().on('media-gone', (mediaId) => void (mediaId === lease.mediaId && keep()))
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}

const RETRY_MS = 1_000

/**
 * Runs a write under a lease, again and again while the database does not respond: the attempt keeps its results, and the write
 * detects a lost lease. A write whose response was lost is repeated. Rejects on other errors, and when `signal` aborts.
 */
export async function whenReachable<Result>(write: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (asServiceError(error).code !== 'SERVICE_UNAVAILABLE') throw error
      intake().databaseFailed()
      log().debug({ err: (error as Error).message }, 'a result of transcoding could not be written; retrying')
      await wait(RETRY_MS, undefined, { signal })
    }
  }
}
