import { newId } from '../../platform/crypto.ts'
import { db } from '../../platform/database.ts'
import type { Prisma } from '../../platform/prisma/client.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { VISIBLE } from '../videos/served.ts'
import { BEGIN_LOCK } from './begin-reencode.ts'
import { FIRST_PRESET, SLOWER_PRESET } from './encoders.ts'
import { BEING_REPLACED } from './request-reencode.ts'

/** SQL condition: x264 encoded all renditions of the row `video` with the first preset, and it can be encoded again. */
export const SLOWABLE = `${VISIBLE} AND status = 'COMPLETED' AND h264_preset = '${FIRST_PRESET}' AND NOT ${BEING_REPLACED}`

interface Source {
  accountId: string
  title: string
  targetQuality: string
  encrypted: boolean
  sourceKey: string
  sourceBytes: bigint
  sourceName: string
}

/**
 * Queues the encoding of a COMPLETED video with the slower preset of x264, to the quality that it has, as a re-encoding, unless anything is
 * being transcoded. Returns whether it was queued.
 */
export const beginSlowerPreset = (videoId: string): Promise<boolean> =>
  db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${BEGIN_LOCK})`
    const [video] = await tx.$queryRawUnsafe<(Source & { rateFactors: Prisma.InputJsonObject | null })[]>(
      `SELECT account_id AS "accountId", title, target_quality AS "targetQuality", encrypted, source_key AS "sourceKey",
         source_bytes AS "sourceBytes", source_name AS "sourceName", rate_factors AS "rateFactors"
       FROM video WHERE id = $1 AND ${SLOWABLE} AND NOT EXISTS (SELECT FROM transcode_queue) FOR NO KEY UPDATE`,
      videoId,
    )
    if (!video) return false
    const { rateFactors, ...source } = video
    const wanted = { replaces: videoId, reencodes: true, h264Preset: SLOWER_PRESET, slowerState: 'begun' }
    await tx.video.create({ data: { id: newId('vid'), ...wanted, ...source, ...(rateFactors && { rateFactors }) } })
    await tx.video.update({ where: { id: videoId }, data: { slowerState: 'begun' } })
    await appendVideoLog(tx, videoId, 'start', `Re-encoding with the preset ${SLOWER_PRESET} of x264 started. The video plays meanwhile.`)
    return true
  })
