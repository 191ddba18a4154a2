import { db } from '../infra/db.ts'
import { enqueue } from '../infra/queue.ts'
import { storage } from '../infra/storage/storage.ts'
import { JOBS } from '../jobs.ts'
import { segmentPrefix } from '../transcode/store.ts'
import { extraPrefix, picturePrefix } from './extras.ts'
import { RESTORE_DAYS } from './restore.ts'

/** Videos forgotten in one go. */
const BATCH = 500

/**
 * Forgets videos deleted more than 7 days ago; the removal of their media is sent in the same transaction, so it cannot be
 * missed. A video that was taken down is held. Runs as the job `video.purge`. Returns how many there were.
 */
export async function purgeVideos(): Promise<number> {
  return db().$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      DELETE FROM video WHERE id IN (
        SELECT id FROM video WHERE deleted_at <= service_now() - make_interval(days => ${RESTORE_DAYS}) AND taken_down_at IS NULL LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ) RETURNING id`
    for (const { id } of rows) await enqueue(tx, JOBS['media.remove'], { videoId: id })
    return rows.length
  })
}

/** Removes everything stored of a video that is no more. Runs as the job `media.remove`. */
export async function removeMedia({ videoId }: { videoId: string }): Promise<void> {
  await storage().deletePrefix(segmentPrefix(videoId))
  await storage().deletePrefix(picturePrefix(videoId))
  await storage().deletePrefix(extraPrefix(videoId))
  await storage().delete(`sources/${videoId}`)
}
