import type { Tx } from '../../platform/database/database.ts'
import type { MediaUncheckedCreateInput } from '../../platform/prisma/models.ts'

/** Inserts media and queues it for transcoding. `tx` holds the video. */
export async function createMedia(tx: Tx, data: MediaUncheckedCreateInput): Promise<void> {
  await tx.media.create({ data })
  await queueMedia(tx, data)
}

/**
 * Queues media for transcoding or, with `codec`, for encoding complete media in an additional codec. What is already queued stays as it is.
 * `tx` holds the video.
 */
export async function queueMedia(
  tx: Tx,
  { id, accountId, codec = null }: { id: string; accountId: string; codec?: string | null },
): Promise<void> {
  const inserted = await tx.$executeRaw`
    INSERT INTO transcode_queue (media_id, account_id, codec) VALUES (${id}, ${accountId}, ${codec}) ON CONFLICT (media_id) DO NOTHING`
  if (inserted === 0) return
  await tx.transcodeTask.create({ data: { mediaId: id, kind: 'plan', position: 0 } })
  await tx.$executeRaw`SELECT pg_notify('reelgate', ${`transcode-due:${id}`})`
}

/** Removes media from the queue, with its tasks: it is complete, has failed, or its video was deleted. `tx` holds the video. */
export async function unqueueMedia(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.transcodeQueue.deleteMany({ where: { mediaId: { in: [...ids] } } })
}
