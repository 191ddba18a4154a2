import { db } from '../../platform/database.ts'
import { LEASE_SEC, leaseVideoIn, type TranscodeLease, type VideoRef } from './lease.ts'

/**
 * Leases the next video in the queue, or one whose worker was lost. The order is SQL (`transcode_next`, `transcode_order` and
 * `transcode_turn_cost` in prisma/routines): accounts take turns, paid ones three for each turn of a free one, and within an account the oldest
 * is first. Returns undefined when nothing is due.
 */
export async function leaseNext(): Promise<TranscodeLease | undefined> {
  // Idle workers poll often; this check takes no lock.
  const [due] = await db().$queryRaw<{ any: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM transcode_queue WHERE COALESCE(leased_until, due_at) <= service_now()) AS any`
  if (!due?.any) return undefined
  let next: VideoRef | undefined
  try {
    return await db().$transaction(async (tx) => {
      const found = await tx.$queryRaw<VideoRef[]>`SELECT next_account AS "accountId", next_video AS "videoId" FROM transcode_next()`
      next = found[0]
      return next && (await leaseVideoIn(tx, next))
    })
  } catch (error) {
    if (next) await postpone(next)
    throw error
  }
}

/** Seconds until a video that could not be started is due again. */
const POSTPONE_SEC = 30

/** Delays a video that fails to start; otherwise it would stay the next one and block all others. */
async function postpone({ videoId }: VideoRef): Promise<void> {
  await db().$executeRaw`
    UPDATE transcode_queue SET leased_until = NULL, due_at = service_now() + make_interval(secs => ${POSTPONE_SEC})
    WHERE video_id = ${videoId} AND COALESCE(leased_until, due_at) <= service_now()`
}

/** Renews the lease. Returns false when it is lost. */
export async function renewLease({ accountId, videoId, retries, attempt }: TranscodeLease): Promise<boolean> {
  const kept = await db().$executeRaw`
    UPDATE transcode_queue AS q SET leased_until = service_now() + make_interval(secs => ${LEASE_SEC})
    FROM video AS v WHERE q.video_id = ${videoId} AND v.id = q.video_id AND v.account_id = ${accountId} AND v.retries = ${retries}
      AND v.attempts = ${attempt} AND v.status = 'PROCESSING' AND v.deleted_at IS NULL`
  return kept === 1
}
