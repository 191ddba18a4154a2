import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { recordDeletions } from '../receipts/deletions.ts'

/** Rows deleted per transaction. */
const BATCH = 250

/**
 * Removes the media that videos had before their sources were replaced, once no playback session can need it (`kept_until`). That of a video
 * which was taken down is kept. Runs with the job `video.purge`. Returns the number of sets.
 */
export async function removeFormerMedia(signal?: AbortSignal): Promise<number> {
  let removed = 0
  for (;;) {
    signal?.throwIfAborted()
    const found = await removeSome()
    removed += found
    if (found < BATCH) return removed
  }
}

const removeSome = (): Promise<number> =>
  db().$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT former.id FROM video former JOIN video ON video.id = former.replaces
      WHERE former.kept_until <= service_now() AND video.taken_down_at IS NULL LIMIT ${BATCH} FOR UPDATE OF former SKIP LOCKED`
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    await recordDeletions(tx, ids, { titles: false })
    await tx.$executeRaw`DELETE FROM video WHERE id = ANY (${ids})`
    await enqueue(tx, JOBS['media.remove'], {})
    return ids.length
  })
