import { db, type Tx } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { appendVideoLog } from '../../videos/append-log.ts'
import { createMedia } from '../../videos/queue-media.ts'
import type { H264Preset } from '../plan/encoders.ts'
import { REENCODABLE } from './request-reencode.ts'

/** Those that cannot be re-encoded at the moment keep their request. */
const NEXT = `
  SELECT id, media_id AS "mediaId" FROM video WHERE reencode_requested_at IS NOT NULL AND ${REENCODABLE} AND NOT EXISTS (SELECT FROM transcode_queue)
  ORDER BY reencode_requested_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`

/** Advisory lock of what begins in idle time: two workers would begin two. */
export const BEGIN_LOCK = 72_707_391

/**
 * Queues the next video that waits to be re-encoded, unless anything is being transcoded: the videos of owners come first. Runs as the job
 * `video.reencode`. Returns whether one was queued.
 */
export const beginReencode = (): Promise<boolean> =>
  db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${BEGIN_LOCK})`
    const [next] = await tx.$queryRawUnsafe<{ id: string; mediaId: string | null }[]>(NEXT)
    if (!next?.mediaId) return false
    await tx.$executeRaw`UPDATE video SET reencode_requested_at = NULL WHERE id = ${next.id}`
    await encodeSourceAgain(tx, next.mediaId, null)
    await appendVideoLog(tx, next.id, 'start', 'Re-encoding started. The video plays meanwhile.')
    return true
  })

/** Queues further media of a video from the original of the media that plays; a `preset` encodes to the quality that this has. */
export async function encodeSourceAgain(tx: Tx, mediaId: string, preset: H264Preset | null): Promise<void> {
  const { rateFactors, ...source } = await tx.media.findUniqueOrThrow({
    where: { id: mediaId },
    select: {
      ...{ accountId: true, videoId: true, targetQuality: true, encrypted: true, rateFactors: true },
      ...{ sourceKey: true, sourceBytes: true, sourceName: true },
    },
  })
  const wanted = preset && { h264Preset: preset, slowerState: 'begun', ...(rateFactors && { rateFactors }) }
  await createMedia(tx, { id: newId('vid'), ...source, reencodes: true, ...wanted })
}
