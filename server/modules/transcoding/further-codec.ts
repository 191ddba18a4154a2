import { newId } from '../../platform/crypto.ts'
import { db, type Tx } from '../../platform/database.ts'
import { av1Program } from '../../platform/ffmpeg-programs.ts'
import { megabytes } from '../../platform/megabytes.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { dropReplacement } from '../videos/drop-replacement.ts'
import { OFFERED_UNTIL } from '../videos/further-codec.ts'
import { VISIBLE } from '../videos/served.ts'
import { BEGIN_LOCK } from './begin-reencode.ts'
import type { FurtherCodec } from './encoders.ts'
import { type TranscodeLease, whileHeld } from './lease.ts'
import { BEING_REPLACED } from './request-reencode.ts'
import type { StoredRendition } from './store.ts'

/** Largest share of the bytes of H.264 with which renditions of a further codec are worth their storage. */
const WORTH = 0.9

/** The names that users read. */
export const CODEC_NAMES: Record<FurtherCodec, string> = { av1: 'AV1' }

/**
 * SQL condition: the row `video` can get renditions in AV1. Those of an early version contain the sound, which the further ones
 * would lack.
 */
export const EXTENDABLE = `${VISIBLE} AND status = 'COMPLETED' AND NOT ${BEING_REPLACED}
  AND NOT EXISTS (SELECT FROM rendition r WHERE r.video_id = video.id AND r.codecs LIKE '%mp4a%')
  AND NOT EXISTS (SELECT FROM video n WHERE n.replaces = video.id AND n.adds_codec = 'av1' AND n.kept_until = '${OFFERED_UNTIL}')`

interface Extended {
  accountId: string
  title: string
  targetQuality: string
  encrypted: boolean
  sourceKey: string
  sourceName: string
  sourceHash: Buffer<ArrayBuffer> | null
}

/**
 * Queues the encoding of a COMPLETED video in a further codec, as a row of its own that reads the original of the video, unless
 * anything is being transcoded. Returns whether it was queued.
 */
export async function beginFurtherCodec(videoId: string, codec: FurtherCodec): Promise<boolean> {
  if (!av1Program()) return false
  return db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${BEGIN_LOCK})`
    const [video] = await tx.$queryRawUnsafe<Extended[]>(
      `SELECT account_id AS "accountId", title, target_quality AS "targetQuality", encrypted, source_key AS "sourceKey",
         source_name AS "sourceName", source_hash AS "sourceHash" FROM video WHERE id = $1 AND ${EXTENDABLE} AND NOT EXISTS (SELECT FROM transcode_queue) FOR NO KEY UPDATE`,
      videoId,
    )
    if (!video) return false
    // Its original is counted once.
    await tx.video.create({ data: { id: newId('vid'), replaces: videoId, addsCodec: codec, ...video, sourceBytes: 0n } })
    await tx.video.update({ where: { id: videoId }, data: { av1State: 'begun' } })
    await appendVideoLog(tx, videoId, 'start', `Encoding to ${CODEC_NAMES[codec]} as well began. The video plays meanwhile.`)
    return true
  })
}

/**
 * Stores the renditions of a further codec and offers them to players, or drops them where they save too little. Returns false when the lease
 * is lost.
 */
export async function completeFurtherCodec(lease: TranscodeLease, renditions: StoredRendition[]): Promise<boolean> {
  const done = await whileHeld(lease, async (tx) => {
    const { accountId, videoId, replaces, addsCodec, plan } = lease
    if (!replaces || !addsCodec || !plan) throw new Error(`${videoId} adds no codec`)
    const former = await tx.rendition.findMany({ where: { videoId: replaces }, select: { bytes: true } })
    const before = former.reduce((sum, { bytes }) => sum + Number(bytes), 0)
    const after = renditions.reduce((sum, { bytes }) => sum + bytes, 0)
    const sizes = `${megabytes(after)} instead of ${megabytes(before)}`
    const name = CODEC_NAMES[addsCodec]
    if (after > before * WORTH) {
      const reason = `${name} saves too little (${sizes}). The video stays as it is.`
      await appendVideoLog(tx, replaces, 'complete', reason)
      await dropReplacement(tx, { accountId, videoId: replaces }, { code: 'CANCELLED', reason })
      return true
    }
    const qualities = renditions.map(({ quality }) => quality)
    const rateFactors = plan.search?.found?.length ? JSON.stringify(plan.search) : null
    await tx.$executeRaw`
      UPDATE video SET status = 'COMPLETED', completed_at = service_now(), progress = 100, eta_sec = NULL, qualities = ${qualities},
        rate_factors = ${rateFactors}::jsonb, kept_until = ${OFFERED_UNTIL}::timestamptz WHERE id = ${videoId}`
    await tx.rendition.deleteMany({ where: { videoId } })
    await tx.rendition.createMany({ data: renditions.map((rendition) => ({ videoId, ...rendition })) })
    await announce(tx, accountId, replaces)
    const percent = Math.round((1 - after / before) * 100)
    const where = plan.hdr ? 'in HDR, where a device can decode and show it' : 'where a device can decode it'
    await appendVideoLog(tx, replaces, 'complete', `Plays in ${name} as well: ${sizes} (${percent} % less) ${where}.`)
    return true
  })
  return done ?? false
}

/** Tells processes that the playlists of a video changed. */
async function announce(tx: Tx, accountId: string, videoId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify('reelgate', ${`video:${accountId}:${videoId}`})`
}

/** Returns whether the renditions of a further codec are complete: the response to an earlier write may have been lost. */
export const hasFurtherCodec = async ({ videoId }: TranscodeLease): Promise<boolean> =>
  (await db().video.count({ where: { id: videoId, status: 'COMPLETED' } })) === 1
