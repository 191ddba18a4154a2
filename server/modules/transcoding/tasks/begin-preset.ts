import { db } from '../../../platform/database/database.ts'
import { appendVideoLog } from '../../videos/append-log.ts'
import { VISIBLE } from '../../videos/served.ts'
import { FIRST_PRESET, SLOWER_PRESET } from '../plan/encoders.ts'
import { BEGIN_LOCK, encodeSourceAgain } from './begin-reencode.ts'
import { BEING_REPLACED } from './request-reencode.ts'

/** SQL condition: x264 encoded all H.264 renditions of the row `video` with the first preset, and it can be encoded again. */
export const SLOWABLE = `${VISIBLE} AND status = 'COMPLETED' AND NOT ${BEING_REPLACED}
  AND EXISTS (SELECT FROM media m WHERE m.id = video.media_id AND m.h264_preset = '${FIRST_PRESET}')`

/**
 * Queues the encoding of a COMPLETED video with the slower preset of x264, to the quality that it has, as a re-encoding, unless anything is
 * being transcoded. Returns whether it was queued.
 */
export const beginSlowerPreset = (videoId: string): Promise<boolean> =>
  db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${BEGIN_LOCK})`
    const [video] = await tx.$queryRawUnsafe<{ mediaId: string | null }[]>(
      `SELECT media_id AS "mediaId" FROM video WHERE id = $1 AND ${SLOWABLE} AND NOT EXISTS (SELECT FROM transcode_queue) FOR NO KEY UPDATE`,
      videoId,
    )
    if (!video?.mediaId) return false
    await encodeSourceAgain(tx, video.mediaId, SLOWER_PRESET)
    await tx.media.update({ where: { id: video.mediaId }, data: { slowerState: 'begun' } })
    await appendVideoLog(tx, videoId, 'start', `Re-encoding with the preset ${SLOWER_PRESET} of x264 started. The video plays meanwhile.`)
    return true
  })
