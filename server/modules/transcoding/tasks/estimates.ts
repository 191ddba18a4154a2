import { db, type Tx } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { log } from '../../../platform/observe/log.ts'
import type { TranscodeLease } from './lease.ts'
import { estimateOf, pixelsPerFrame } from './processing.ts'
import { readProcessingRows } from './read-processing.ts'

/** Days to keep predictions and their outcomes. */
export const ESTIMATE_DAYS = 30

type Estimated = Pick<TranscodeLease, 'accountId' | 'videoId' | 'mediaId'>

/** Stores a video's prediction once its tasks are stored, replacing an earlier attempt's. Call it after that commit. */
export async function predictAtStart({ accountId, videoId, mediaId }: Estimated): Promise<void> {
  const rows = await readProcessingRows({ accountId, videoId }, { mediaId })
  const plan = rows.queue?.plan
  if (!plan) return
  const frames = plan.chunks.reduce((sum, chunk) => sum + chunk.expectedFrames, 0)
  const seconds = estimateOf(rows, plan)?.seconds ?? null
  await db().$executeRaw`
    INSERT INTO transcode_estimate (media_id, queued_at, begun_at, duration_sec, pixels, start_sec)
    SELECT m.id, q.queued_at, COALESCE(m.started_at, service_now()), ${plan.facts.durationSec}, ${frames * pixelsPerFrame(plan)},
      ${seconds}::double precision
    FROM media m JOIN transcode_queue q ON q.media_id = m.id WHERE m.id = ${mediaId} AND m.account_id = ${accountId}
    ON CONFLICT (media_id) DO UPDATE SET queued_at = EXCLUDED.queued_at, begun_at = EXCLUDED.begun_at, planned_at = service_now(),
      duration_sec = EXCLUDED.duration_sec, pixels = EXCLUDED.pixels, start_sec = EXCLUDED.start_sec, first_at = NULL, first_sec = NULL,
      completed_at = NULL, worker_sec = NULL, finish_sec = NULL`
}

/** Stores the prediction once a video's first chunk is done. Later calls change nothing. Call it after that commit. */
export async function predictAfterFirst({ accountId, videoId, mediaId }: Estimated): Promise<void> {
  const rows = await readProcessingRows({ accountId, videoId }, { mediaId })
  const seconds = rows.queue?.plan && estimateOf(rows, rows.queue.plan)?.seconds
  await db().$executeRaw`
    UPDATE transcode_estimate SET first_at = service_now(), first_sec = ${seconds ?? null}::double precision
    WHERE media_id = ${mediaId} AND first_at IS NULL AND completed_at IS NULL`
}

/** Waits for a prediction to be stored. A video is transcoded even without one. */
export const predicted = (videoId: string, prediction: Promise<void>): Promise<void> =>
  prediction.catch((error: Error) => log().warn({ err: error, videoId }, 'could not estimate when a transcoding ends'))

/** Stores how long a video took. Call it in the transaction that completes it, before its tasks are deleted with its place in the queue. */
export async function scoreEstimate(tx: Tx, { mediaId }: Pick<Estimated, 'mediaId'>): Promise<void> {
  await tx.$executeRaw`
    UPDATE transcode_estimate e SET completed_at = service_now(), worker_sec = t.worker_sec, finish_sec = t.finish_sec
    FROM (
      SELECT (sum(extract(epoch FROM done_at - started_at)) FILTER (WHERE kind = 'video'))::float8 AS worker_sec,
        extract(epoch FROM service_now() - max(done_at) FILTER (WHERE kind <> 'finish'))::float8 AS finish_sec
      FROM transcode_task WHERE media_id = ${mediaId}
    ) AS t
    WHERE e.media_id = ${mediaId} AND e.completed_at IS NULL`
}

/** Deletes predictions past their retention. */
export async function pruneEstimates(): Promise<void> {
  await deleteInSlices('transcode_estimate', 'planned_at < service_now() - make_interval(days => $1)', [ESTIMATE_DAYS])
}
