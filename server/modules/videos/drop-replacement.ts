import { JOBS } from '../../jobs.ts'
import type { Tx } from '../../platform/database.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { recordDeletions } from '../receipts/deletions.ts'
import { emit } from '../webhooks/emit.ts'
import { REPLACEMENT_FAILURES, type ReplacementFailureCode } from './replacement-schema.ts'

export interface ReplacementFailure {
  code: ReplacementFailureCode
  reason: string
}

export interface DroppedReplacement {
  sourceName: string
  /** Whether it encoded the present source again; then it has no upload. */
  reencodes: boolean
}

interface Subject {
  accountId: string
  videoId: string
}

/**
 * Ends the replacement of a video's source that is not complete, if there is one: deletes its row, has its media removed by a job, and marks
 * its upload as failed. The video stays as it is. `keepsCodecs`: whether renditions of a further codec go on being encoded. Returns what was
 * dropped. `tx` holds the video.
 */
export async function dropReplacement(
  tx: Tx,
  { accountId, videoId }: Subject,
  { code, reason }: ReplacementFailure,
  { keepsCodecs = false } = {},
): Promise<DroppedReplacement[]> {
  const rows = await tx.$queryRaw<({ id: string } & DroppedReplacement)[]>`
    SELECT id, source_name AS "sourceName", reencodes FROM video WHERE replaces = ${videoId} AND account_id = ${accountId}
      AND kept_until IS NULL AND NOT (${keepsCodecs} AND adds_codec IS NOT NULL) FOR UPDATE`
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  await recordDeletions(tx, ids, { titles: false })
  await tx.$executeRaw`DELETE FROM video WHERE id = ANY (${ids})`
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
