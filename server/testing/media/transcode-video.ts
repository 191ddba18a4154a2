import { intake } from '../../modules/transcoding/tasks/intake.ts'
import { leaseTask, type TaskRef, type TranscodeLease } from '../../modules/transcoding/tasks/lease.ts'
import { runTask } from '../../modules/transcoding/tasks/run.ts'
import { db } from '../../platform/database/database.ts'

interface Which {
  accountId: string
  videoId: string
  mediaId?: string | undefined
}

/**
 * Leases a task of one video's media, or of one of its media, out of turn: the first still to be done, even one that another worker has,
 * which counts as lost.
 */
export function leaseOf({ accountId, videoId, mediaId }: Which): Promise<TranscodeLease | undefined> {
  return db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM video WHERE id = ${videoId} AND account_id = ${accountId} FOR NO KEY UPDATE`
    const [task] = await tx.$queryRaw<TaskRef[]>`
      SELECT t.media_id AS "mediaId", t.kind, t.position FROM transcode_task t JOIN media m ON m.id = t.media_id
      WHERE m.video_id = ${videoId} AND m.account_id = ${accountId} AND m.id = COALESCE(${mediaId ?? null}, m.id) AND t.done_at IS NULL
      ORDER BY array_position(ARRAY['plan', 'copy', 'quality', 'video', 'audio', 'finish'], t.kind), t.position LIMIT 1`
    if (!task) return undefined
    await tx.transcodeTask.updateMany({ where: { ...task, leasedUntil: { not: null } }, data: { leasedUntil: new Date(0) } })
    return leaseTask(tx, task)
  })
}

/** Transcodes one video, or one of its media, out of turn, in this process alone, if needed. */
export async function transcodeVideo(which: Which, signal: AbortSignal): Promise<void> {
  const { accountId, videoId, mediaId } = which
  while ((await db().transcodeQueue.count({ where: { media: { accountId, videoId, ...(mediaId && { id: mediaId }) } } })) > 0) {
    signal.throwIfAborted()
    await intake().opened(signal)
    const lease = await leaseOf(which)
    if (lease) await runTask(lease, signal)
  }
}
