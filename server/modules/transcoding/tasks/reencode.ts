import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { megabytes } from '../../../platform/megabytes.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { dropReplacement } from '../../videos/drop-replacement.ts'
import { getOwnedVideoForUpdate, requireVideoManagement, VISIBLE } from '../../videos/owned-video.ts'
import { createMedia } from '../../videos/queue-media.ts'
import { appendVideoLog } from '../../videos/video-log.ts'
import { FIRST_PRESET, type H264Preset, SLOWER_PRESET } from '../plan/encoders.ts'
import { type TranscodeLease, whileHeld } from './lease.ts'
import type { StoredAudio, StoredIframes, StoredRendition } from './store.ts'

/** SQL condition: other media of the row `video` is waiting or being transcoded, and is to play. */
export const BEING_REPLACED = 'EXISTS (SELECT FROM media n WHERE n.video_id = video.id AND n.id <> video.media_id AND n.kept_until IS NULL)'

/** SQL condition: the row `video` can be re-encoded now. One encoded to a target has this version's options. */
const REENCODABLE = `${VISIBLE} AND status = 'COMPLETED' AND NOT ${BEING_REPLACED}
  AND EXISTS (SELECT FROM media m WHERE m.id = video.media_id AND m.rate_factors IS NULL)`

/**
 * Requests that a COMPLETED video be re-encoded from its original, once nothing else is being transcoded. It plays in the meantime. Safe to
 * repeat. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT for a video in another state, one encoded to a quality target, and one whose source
 * is being replaced.
 */
export async function requestReencode(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const { status } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (status !== 'COMPLETED')
      throw new ServiceError('CONFLICT', { message: 'You can re-encode only completed videos.', details: { status } })
    const [video] = await tx.$queryRawUnsafe<{ replaced: boolean; requested: boolean; targeted: boolean }[]>(
      `SELECT ${BEING_REPLACED} AS replaced, reencode_requested_at IS NOT NULL AS requested,
        EXISTS (SELECT FROM media m WHERE m.id = video.media_id AND m.rate_factors IS NOT NULL) AS targeted FROM video WHERE id = $1`,
      videoId,
    )
    if (video?.replaced)
      throw new ServiceError('CONFLICT', { message: 'The source of this video is already being replaced, or it is being re-encoded.' })
    if (video?.targeted)
      throw new ServiceError('CONFLICT', {
        message: 'This video is already encoded to a quality target. To save bytes, choose a lower picture quality and replace its source.',
      })
    if (video?.requested) return
    await tx.$executeRaw`UPDATE video SET reencode_requested_at = service_now() WHERE id = ${videoId}`
    await appendVideoLog(tx, videoId, 'retry', 'Re-encoding requested. It starts when no other video is being transcoded.')
    await record(tx, ctx, { action: 'video.reencode', subject: videoId })
    await enqueue(tx, JOBS['video.reencode'], {})
  })
}

/** Which videos: one, an account's, or all; of those, only what was encoded before a given time. */
interface ReencodeSelection {
  videoId?: string | undefined
  accountId?: string | undefined
  before?: Date | undefined
}

/** Videos per statement, which holds their locks until it ends. */
const BATCH = 1_000

const MATCHING = `
  SELECT id FROM video WHERE ${REENCODABLE} AND reencode_requested_at IS NULL AND id > $1 AND ($2::text IS NULL OR id = $2)
    AND ($3::text IS NULL OR account_id = $3) AND ($4::timestamptz IS NULL OR completed_at < $4)
  ORDER BY id LIMIT ${BATCH} FOR NO KEY UPDATE`

/** Requests re-encoding all matching videos that can be, for the operator. Returns how many. */
export async function requestReencodes({ videoId, accountId, before }: ReencodeSelection): Promise<number> {
  let requested = 0
  for (let last = ''; ; ) {
    const ids = await db().$transaction(async (tx) => {
      const values = [last, videoId ?? null, accountId ?? null, before ?? null]
      const found = (await tx.$queryRawUnsafe<{ id: string }[]>(MATCHING, ...values)).map(({ id }) => id)
      await tx.$executeRaw`UPDATE video SET reencode_requested_at = service_now() WHERE id = ANY (${found})`
      return found
    })
    requested += ids.length
    if (ids.length < BATCH) return requested
    last = ids.at(-1) as string
  }
}

/** Withdraws all waiting requests. Running re-encodes continue. Returns how many it withdrew. */
export const withdrawReencodes = (): Promise<number> =>
  db().$executeRaw`UPDATE video SET reencode_requested_at = NULL WHERE reencode_requested_at IS NOT NULL`

/** Returns how many videos are waiting to be re-encoded, including deleted and taken-down ones. */
export const countReencodes = (): Promise<number> => db().video.count({ where: { reencodeRequestedAt: { not: null } } })

/** Videos that cannot be re-encoded at the moment keep their request. */
const NEXT = `
  SELECT id, media_id AS "mediaId" FROM video WHERE reencode_requested_at IS NOT NULL AND ${REENCODABLE} AND NOT EXISTS (SELECT FROM transcode_queue)
  ORDER BY reencode_requested_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`

/** Advisory lock of what starts in idle time: two workers would start two. */
export const BEGIN_LOCK = 72_707_391

/**
 * Queues the next video waiting to be re-encoded, unless anything is being transcoded: owners' videos come first. Runs as the job
 * `video.reencode`. Returns whether it queued one.
 */
export const beginReencode = (): Promise<boolean> =>
  db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${BEGIN_LOCK})`
    const [next] = await tx.$queryRawUnsafe<{ id: string; mediaId: string | null }[]>(NEXT)
    if (!next?.mediaId) return false
    await tx.$executeRaw`UPDATE video SET reencode_requested_at = NULL WHERE id = ${next.id}`
    await encodeSourceAgain(tx, next.mediaId, null)
    await appendVideoLog(tx, next.id, 'start', 'Re-encoding started. The video keeps playing.')
    return true
  })

/** Queues new media for a video from the playing media's original. A `preset` encodes to its quality. */
async function encodeSourceAgain(tx: Tx, mediaId: string, preset: H264Preset | null): Promise<void> {
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

/** SQL condition: x264 encoded all H.264 renditions of the row `video` with the first preset, and it can be re-encoded. */
export const SLOWABLE = `${VISIBLE} AND status = 'COMPLETED' AND NOT ${BEING_REPLACED}
  AND EXISTS (SELECT FROM media m WHERE m.id = video.media_id AND m.h264_preset = '${FIRST_PRESET}')`

/**
 * Queues re-encoding a COMPLETED video with x264's slower preset, at the quality it has, unless anything is being transcoded. Returns
 * whether it was queued.
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
    await appendVideoLog(tx, videoId, 'start', `Re-encoding with the preset ${SLOWER_PRESET} of x264 started. The video keeps playing.`)
    return true
  })

/** New renditions are worth changing every segment up to this share of the former bytes. */
const WORTH = 0.95

interface Encoded {
  renditions: readonly StoredRendition[]
  audio: readonly StoredAudio[]
  iframes: readonly StoredIframes[]
}

interface Verdict {
  isBetter: boolean
  /** Says it to the owner. */
  text: string
}

/**
 * Returns whether what was re-encoded replaces the renditions of `mediaId`: if it has all their qualities in fewer bytes. Its own options
 * are at equal quality.
 */
export async function judgeReencode(
  on: Pick<Tx, 'rendition' | 'audioRendition' | 'iframeRendition'>,
  mediaId: string,
  { renditions, audio, iframes }: Encoded,
): Promise<Verdict> {
  const of = { where: { mediaId }, select: { bytes: true } }
  const former = [
    ...(await on.rendition.findMany({ where: { mediaId, codec: 'h264' }, select: { bytes: true, quality: true } })),
    ...(await on.audioRendition.findMany(of)),
    ...(await on.iframeRendition.findMany(of)),
  ]
  const before = former.reduce((sum, one) => sum + Number(one.bytes), 0)
  const after = [...renditions, ...audio, ...iframes].reduce((sum, one) => sum + one.bytes, 0)
  const lost = former.flatMap((one) =>
    'quality' in one && !renditions.some(({ quality }) => quality === one.quality) ? [one.quality] : [],
  )
  const sizes = `${megabytes(after)} instead of ${megabytes(before)}`
  if (lost.length > 0) return { isBetter: false, text: `Re-encoding made no ${lost.join(', ')}. The video stays as it is.` }
  if (after > before * WORTH) return { isBetter: false, text: `Re-encoding would save too little (${sizes}). The video stays as it is.` }
  return { isBetter: true, text: `Re-encoded: ${sizes} (${Math.round((1 - after / before) * 100)} % less).` }
}

/** Drops what was re-encoded, and says why in the log of the video, which stays as it is. Returns false if the lease is lost. */
export async function declineReencode(lease: TranscodeLease, text: string): Promise<boolean> {
  const { accountId, videoId } = lease
  const declined = await whileHeld(lease, async (tx) => {
    await appendVideoLog(tx, videoId, 'complete', text)
    await dropReplacement(tx, { accountId, videoId }, { code: 'CANCELLED', reason: text })
    return true
  })
  return declined ?? false
}
