import { db, type Tx } from '../../../platform/database/database.ts'
import { av1Program } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { megabytes } from '../../../platform/megabytes.ts'
import { VISIBLE } from '../../videos/owned-video.ts'
import { queueMedia, unqueueMedia } from '../../videos/queue-media.ts'
import { appendVideoLog } from '../../videos/video-log.ts'
import { type TranscodeLease, whileHeld } from '../tasks/lease.ts'
import { BEGIN_LOCK, BEING_REPLACED } from '../tasks/reencode.ts'
import type { StoredRendition } from '../tasks/store.ts'
import type { FurtherCodec } from './encoders.ts'

/** Renditions in an additional codec are worth their storage up to this share of H.264's bytes. */
const WORTH = 0.9

/** The names that users read. */
export const CODEC_NAMES: Record<FurtherCodec, string> = { av1: 'AV1' }

/** SQL condition: the media of the row `video` can get AV1 renditions. */
export const EXTENDABLE = `${VISIBLE} AND status = 'COMPLETED' AND NOT ${BEING_REPLACED}
  AND NOT EXISTS (SELECT FROM rendition r WHERE r.media_id = video.media_id AND r.codec = 'av1')`

/** Queues encoding a COMPLETED video's media in an additional codec, unless anything is being transcoded. Returns whether it was queued. */
export async function beginFurtherCodec(videoId: string, codec: FurtherCodec): Promise<boolean> {
  if (!av1Program()) return false
  return db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${BEGIN_LOCK})`
    const [media] = await tx.$queryRawUnsafe<{ id: string | null; accountId: string }[]>(
      `SELECT media_id AS id, account_id AS "accountId" FROM video
       WHERE id = $1 AND ${EXTENDABLE} AND NOT EXISTS (SELECT FROM transcode_queue) FOR NO KEY UPDATE`,
      videoId,
    )
    if (!media?.id) return false
    await queueMedia(tx, { id: media.id, accountId: media.accountId, codec })
    await tx.media.update({ where: { id: media.id }, data: { av1State: 'begun' } })
    await appendVideoLog(tx, videoId, 'start', `Encoding in ${CODEC_NAMES[codec]} started. The video keeps playing.`)
    return true
  })
}

/**
 * Stores an additional codec's renditions and offers them to players, or drops them if they save too little. Returns false if the lease is
 * lost.
 */
export async function completeFurtherCodec(lease: TranscodeLease, renditions: StoredRendition[]): Promise<boolean> {
  const done = await whileHeld(lease, async (tx) => {
    const { accountId, videoId, mediaId, codec, plan } = lease
    if (!codec || !plan) throw new Error(`${mediaId} adds no codec`)
    const former = await tx.rendition.findMany({ where: { mediaId, codec: 'h264' }, select: { bytes: true } })
    const before = former.reduce((sum, { bytes }) => sum + Number(bytes), 0)
    const after = renditions.reduce((sum, { bytes }) => sum + bytes, 0)
    const sizes = `${megabytes(after)} instead of ${megabytes(before)}`
    const name = CODEC_NAMES[codec]
    await unqueueMedia(tx, [mediaId])
    if (after > before * WORTH) {
      await appendVideoLog(tx, videoId, 'complete', `${name} would save too little (${sizes}). The video stays as it is.`)
      return true
    }
    await tx.rendition.createMany({ data: renditions.map((rendition) => ({ mediaId, codec, ...rendition })) })
    const found = plan.search?.found?.length ? JSON.stringify(plan.search) : null
    await tx.$executeRaw`UPDATE media SET av1_rate_factors = ${found}::jsonb WHERE id = ${mediaId}`
    await announce(tx, accountId, videoId)
    const percent = Math.round((1 - after / before) * 100)
    const where = plan.hdr ? 'in HDR, where a device can decode and show it' : 'where a device can decode it'
    await appendVideoLog(tx, videoId, 'complete', `Plays in ${name} as well: ${sizes} (${percent} % less) ${where}.`)
    return true
  })
  return done ?? false
}

/** Notifies processes that a video's playlists changed. */
async function announce(tx: Tx, accountId: string, videoId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('reelgate', ${`video:${accountId}:${videoId}`})`
}

/** Returns whether an additional codec's renditions are complete: the response to an earlier write may have been lost. */
export const hasFurtherCodec = async ({ mediaId, codec }: TranscodeLease): Promise<boolean> =>
  (await db().rendition.count({ where: { mediaId, ...(codec && { codec }) } })) > 0
