import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { recordDeletions } from '../audit/receipts/deletions.ts'
import { RESTORE_DAYS } from './restore.ts'

/** Videos purged per transaction. */
const BATCH = 250

/**
 * Deletes the rows of videos deleted more than 7 days ago; the records of their deletion are the queue of `media.remove`. A video that was
 * taken down is kept. Runs as the job `video.purge`. Returns the number of videos.
 */
export async function purgeVideos(signal?: AbortSignal): Promise<number> {
  let purged = 0
  for (;;) {
    signal?.throwIfAborted()
    const found = await purgeSome()
    purged += found
    if (found < BATCH) return purged
  }
}

const purgeSome = (): Promise<number> =>
  db().$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM video WHERE deleted_at <= service_now() - make_interval(days => ${RESTORE_DAYS}) AND taken_down_at IS NULL LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    await recordDeletions(tx, ids, { titles: true })
    await tx.$executeRaw`DELETE FROM video WHERE id = ANY (${ids})`
    await enqueue(tx, JOBS['media.remove'], {})
    return ids.length
  })
