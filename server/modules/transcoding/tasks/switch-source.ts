import { serviceNow } from '../../../platform/database/clock.ts'
import { query, type Tx } from '../../../platform/database/database.ts'
import { latestSessionEnd } from '../../access/keys/validity.ts'
import { addCaptions } from '../../videos/captions/captions.ts'
import { unqueueMedia } from '../../videos/queue-media.ts'
import type { FoundCaptions } from '../probe/source-captions.ts'
import { requeueTranscripts } from '../transcripts/request-transcript.ts'
import type { TranscodeLease } from './lease.ts'

/**
 * Returns whether what the video plays is being transcoded. Its viewers hold growing playlists, which a switch would end, so the
 * replacement waits. Returns false for a video that is gone.
 */
export async function isBeingTranscoded(videoId: string, on?: Tx): Promise<boolean> {
  const text = `SELECT 1 FROM video WHERE id = $1 AND status IN ('PENDING', 'PROCESSING') AND deleted_at IS NULL`
  const rows = on ? await on.$queryRawUnsafe<unknown[]>(text, videoId) : await query('replaced-video-waits', text, [videoId])
  return rows.length > 0
}

/**
 * Makes complete media what its video, then COMPLETED, plays. Keeps the former media until no playback session can need it. A video whose
 * source was re-encoded keeps its poster's moment and its captions. `tx` holds the video.
 */
export async function switchMedia(
  tx: Tx,
  { mediaId, videoId, reencodes }: TranscodeLease,
  captions: readonly FoundCaptions[],
): Promise<void> {
  const [former] = await tx.$queryRaw<{ id: string | null; durationSec: number; status: string }[]>`
    SELECT media_id AS id, duration_sec AS "durationSec", status FROM video WHERE id = ${videoId}`
  if (!former?.id) throw new Error(`${videoId} has no media`)
  const now = new Date(serviceNow())
  await tx.$executeRaw`
    UPDATE video v SET media_id = m.id, retries = retries + 1, poster = COALESCE(v.poster_uploaded,
        CASE WHEN ${reencodes} THEN m.poster_candidates[array_position(f.poster_candidates, v.poster)] END, m.poster)
    FROM media m, media f WHERE v.id = ${videoId} AND m.id = ${mediaId} AND f.id = v.media_id`
  const keptUntil = former.status === 'COMPLETED' ? latestSessionEnd(now, former.durationSec) : now
  await tx.media.update({ where: { id: former.id }, data: { keptUntil } })
  await unqueueMedia(tx, [former.id])
  await tx.$executeRaw`UPDATE media_fault SET media_id = ${mediaId} WHERE media_id = ${former.id} AND key LIKE 'extras/%'`
  // The same file's captions are there, as their owner left them.
  if (reencodes) return
  await tx.caption.deleteMany({ where: { videoId, fromSource: true } })
  await requeueTranscripts(tx, videoId)
  for (const one of captions) await addCaptions(tx, { videoId, ...one })
}
