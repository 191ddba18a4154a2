import type { Tx } from '../../../platform/database/database.ts'

/** Writes the encoded share of the whole video, 0 to 99, and the seconds left at the pace so far. */
export async function updateProgress(tx: Pick<Tx, '$executeRaw'>, mediaId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE media SET progress = floor(share * 99), eta_sec = CASE WHEN share > 0.01 AND elapsed > 1 THEN ceil(elapsed * (1 - share) / share) END
    FROM (
      SELECT sum(weight * progress) / sum(weight) AS share FROM transcode_task WHERE media_id = ${mediaId} AND kind = 'video'
    ) AS tasks, LATERAL (SELECT extract(epoch FROM service_now() - started_at) AS elapsed FROM media WHERE id = ${mediaId}) AS clock
    WHERE id = ${mediaId} AND status = 'PROCESSING' AND share IS NOT NULL`
}
