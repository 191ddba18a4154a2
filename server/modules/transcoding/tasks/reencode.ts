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

/** SQL condition: other media of the row `video` waits or is being transcoded, which is to play. */
export const BEING_REPLACED = 'EXISTS (SELECT FROM media n WHERE n.video_id = video.id AND n.id <> video.media_id AND n.kept_until IS NULL)'

/** SQL condition: the row `video` can be re-encoded now. One that was encoded to a target has the options of this version. */
const REENCODABLE = `${VISIBLE} AND status = 'COMPLETED' AND NOT ${BEING_REPLACED}
  AND EXISTS (SELECT FROM media m WHERE m.id = video.media_id AND m.rate_factors IS NULL)`

/**
 * Requests that a COMPLETED video is encoded again from its original, once nothing else is being transcoded; it plays meanwhile. May be
 * repeated. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT for a video in another state, one that was encoded
 * to a target of quality, and one whose source is being replaced.
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

/** Which videos: one, those of an account, or all; of those only what was encoded before a time. */
interface ReencodeSelection {
  videoId?: string | undefined
  accountId?: string | undefined
  before?: Date | undefined
}

/** Videos per statement: each is locked until its end. */
const BATCH = 1_000

const MATCHING = `
  SELECT id FROM video WHERE ${REENCODABLE} AND reencode_requested_at IS NULL AND id > $1 AND ($2::text IS NULL OR id = $2)
    AND ($3::text IS NULL OR account_id = $3) AND ($4::timestamptz IS NULL OR completed_at < $4)
  ORDER BY id LIMIT ${BATCH} FOR NO KEY UPDATE`

/** Requests the re-encoding of all that match and can be re-encoded, for the operator. Returns their number. */
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

/** Withdraws the requests of all that wait; what is being encoded goes on. Returns their number. */
export const withdrawReencodes = (): Promise<number> =>
  db().$executeRaw`UPDATE video SET reencode_requested_at = NULL WHERE reencode_requested_at IS NOT NULL`

/** Returns the number of videos that wait to be re-encoded, those that are deleted or taken down among them. */
export const countReencodes = (): Promise<number> => db().video.count({ where: { reencodeRequestedAt: { not: null } } })

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

/** Largest share of the former bytes with which new renditions are worth the change of every segment. */
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
 * Returns whether what was encoded again replaces the renditions of `mediaId`: when it has all of their qualities in fewer bytes. Its own options are at
 * equal quality.
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

/** Drops what was encoded again, and says why in the log of the video, which stays as it is. Returns false when the lease is lost. */
export async function declineReencode(lease: TranscodeLease, text: string): Promise<boolean> {
  const { accountId, videoId } = lease
  const declined = await whileHeld(lease, async (tx) => {
    await appendVideoLog(tx, videoId, 'complete', text)
    await dropReplacement(tx, { accountId, videoId }, { code: 'CANCELLED', reason: text })
    return true
  })
  return declined ?? false
}
