import { JOBS } from '../../jobs.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { recordMediaDeletions } from '../audit/receipts/deletions.ts'
import { emit } from '../webhooks/endpoints/emit.ts'
import { REPLACEMENT_FAILURES, type ReplacementFailureCode } from './replacement-schema.ts'

export interface ReplacementFailure {
  code: ReplacementFailureCode
  reason: string
}

export interface DroppedReplacement {
  sourceName: string
  /** Whether it encoded the original of the media that plays again. It then has no upload. */
  reencodes: boolean
}

interface Subject {
  accountId: string
  videoId: string
}

/**
 * Ends what was to replace a video's media, if anything: deletes its row, has a job remove its objects, and marks its upload as failed. The
 * video stays as it is. `keepsCodecs`: whether renditions in an additional codec continue to be encoded. Returns what was dropped. `tx`
 * holds the video.
 */
export async function dropReplacement(
  tx: Tx,
  { accountId, videoId }: Subject,
  { code, reason }: ReplacementFailure,
  { keepsCodecs = false } = {},
): Promise<DroppedReplacement[]> {
  if (!keepsCodecs)
    await tx.$executeRaw`
      DELETE FROM transcode_queue q USING video v WHERE v.id = ${videoId} AND q.media_id = v.media_id AND q.codec IS NOT NULL`
  const rows = await tx.$queryRaw<({ id: string } & DroppedReplacement)[]>`
    SELECT m.id, m.source_name AS "sourceName", m.reencodes FROM media m JOIN video v ON v.id = m.video_id
    WHERE v.id = ${videoId} AND v.account_id = ${accountId} AND m.id <> v.media_id AND m.kept_until IS NULL FOR UPDATE OF m`
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  await recordMediaDeletions(tx, ids)
  await tx.media.deleteMany({ where: { id: { in: ids } } })
  await enqueue(tx, JOBS['media.remove'], {})
  const uploads = await tx.$queryRaw<{ id: string }[]>`
    UPDATE direct_upload SET state = 'failed', failure_code = ${code}, failure_reason = ${reason}
    WHERE account_id = ${accountId} AND video_id = ANY (${ids}) AND state = 'completed' RETURNING id`
  for (const { id } of uploads)
    await emit(tx, accountId, 'upload.failed', { uploadId: id, code, reason, externalId: null }, { dedupeKey: id })
  return rows.map(({ sourceName, reencodes }) => ({ sourceName, reencodes }))
}

/** Ends a replacement because its video was deleted or taken down. `tx` holds the video. */
export const dropOfUnavailable = (tx: Tx, subject: Subject): Promise<DroppedReplacement[]> =>
  dropReplacement(tx, subject, { code: 'VIDEO_UNAVAILABLE', reason: REPLACEMENT_FAILURES.VIDEO_UNAVAILABLE })
