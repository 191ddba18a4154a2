import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database/database.ts'
import { inShrinkingSlices } from '../../platform/database/shrinking-slices.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { recordMediaDeletions } from '../audit/receipts/deletions.ts'

/** Most media deleted per transaction. */
const BATCH = 250

/**
 * Removes former media of videos once no playback session can need it (`kept_until`). Keeps media of a video that was taken down. Runs with
 * the job `video.purge`. Returns how many it removed.
 */
export async function removeFormerMedia(signal?: AbortSignal): Promise<number> {
  return inShrinkingSlices(BATCH, removeSome, signal)
}

const removeSome = (most: number): Promise<number> =>
  db().$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT m.id FROM media m JOIN video v ON v.id = m.video_id
      WHERE m.kept_until <= service_now() AND v.taken_down_at IS NULL LIMIT ${most} FOR UPDATE OF m SKIP LOCKED`
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    await recordMediaDeletions(tx, ids)
    await tx.media.deleteMany({ where: { id: { in: ids } } })
    await enqueue(tx, JOBS['media.remove'], {})
    return ids.length
  })
