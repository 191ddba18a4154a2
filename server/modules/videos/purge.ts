import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { confirmRemoved, recordDeletions, recordStoredFiles, type StoredFiles } from '../receipts/deletions.ts'
import { RESTORE_DAYS } from './restore.ts'
import { deleteStored, storedOf } from './stored.ts'

/** Videos purged per run. */
const BATCH = 500
/** Rounds of removal before the job fails and is retried. */
const ROUNDS = 5

/**
 * Deletes the rows of videos deleted more than 7 days ago and enqueues the removal of their media in the same transaction, so that
 * none is missed. A video that was taken down is kept. Runs as the job `video.purge`. Returns the number of videos.
 */
export async function purgeVideos(): Promise<number> {
  return db().$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM video WHERE deleted_at <= service_now() - make_interval(days => ${RESTORE_DAYS}) AND taken_down_at IS NULL LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
    const ids = rows.map(({ id }) => id)
    await recordDeletions(tx, ids, { titles: true })
    await tx.$executeRaw`DELETE FROM video WHERE id = ANY (${ids})`
    for (const { id } of rows) await enqueue(tx, JOBS['media.remove'], { videoId: id })
    return rows.length
  })
}

/**
 * Removes everything stored of a purged video, checks the storage again, and signs the receipt of the deletion. Throws when objects
 * remain, so that the job is retried. Runs as the job `media.remove`.
 */
export async function removeMedia({ videoId }: { videoId: string }): Promise<void> {
  const found = async () => (await storedOf(videoId)).filter(({ objects }) => objects > 0)
  await recordStoredFiles(videoId, await storedOf(videoId))
  let left: StoredFiles[] = []
  // An encoder that is not notified yet may store more meanwhile; it removes its last objects when it notices.
  for (let round = 0; round < ROUNDS; round++) {
    await deleteStored(videoId)
    left = await found()
    if (left.length === 0) break
  }
  if (left.length > 0)
    throw new Error(`Storage still contains ${left.map(({ kind, objects }) => `${objects} ${kind}`).join(', ')} of ${videoId}.`)
  await confirmRemoved(videoId)
}
