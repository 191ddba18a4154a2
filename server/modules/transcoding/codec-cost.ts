import { env } from '../../platform/config.ts'
import type { Tx } from '../../platform/database.ts'

/**
 * Writes the processor time of the tasks of a row that encodes a video in a codec, or again, to the decision that began it, which predicts others by it. Call
 * it in the transaction that completes the row, before its tasks are deleted. A chunk is counted with every core that it may use.
 */
export async function recordCodecCost(tx: Tx, row: { videoId: string; replaces: string; codec: string }): Promise<void> {
  const cores = env().TRANSCODE_THREADS / env().TRANSCODE_CONCURRENCY
  await tx.$executeRaw`
    UPDATE codec_decision SET cpu_sec = (
      SELECT sum(extract(epoch FROM done_at - started_at)) * ${cores}::float8 FROM transcode_task
      WHERE video_id = ${row.videoId} AND kind = 'video')
    WHERE video_id = ${row.replaces} AND codec = ${row.codec} AND ended_at IS NULL AND completed_at IS NULL`
}
