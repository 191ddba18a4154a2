import { db } from '../../platform/database.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { emitVideoEvent } from '../videos/emit-video-event.ts'
import { sourceKey } from '../videos/media-keys.ts'
import type { CaptionChannel } from './closed-captions.ts'
import type { DamagedPart } from './damage.ts'
import type { H264Preset } from './encoders.ts'
import { scoreEstimate } from './estimates.ts'
import { shownVideo, type TranscodeLease, whileHeld } from './lease.ts'
import type { StoredPictures } from './pictures.ts'
import type { QualitySearch } from './rate-factor.ts'
import type { StoredAudio, StoredIframes, StoredRendition } from './store.ts'
import { isBeingTranscoded, switchSource } from './switch-source.ts'

interface Result {
  /** SHA-256 of the original. */
  sourceHash: Buffer<ArrayBuffer>
  renditions: StoredRendition[]
  audio: StoredAudio[]
  iframes: StoredIframes[]
  /** Channels of captions in the picture, in order. */
  closedCaptions: CaptionChannel[]
  pictures: StoredPictures
  damage: readonly DamagedPart[]
  /** Of a video that is encoded again: what it saves, for its owner. */
  savings?: string | undefined
  /** Null where the usual rate factor was used. */
  rateFactors: QualitySearch | null
  /** Preset of x264 of all renditions; null where one was copied or another encoder was used. */
  h264Preset: H264Preset | null
}

/**
 * PROCESSING → COMPLETED with everything playback needs, in one transaction; the tasks go. A new source becomes that of its video. Returns
 * false when the lease is lost, and while the former source of the video is being transcoded.
 */
export async function complete(lease: TranscodeLease, result: Result): Promise<boolean> {
  const { videoId, replaces, reencodes } = lease
  const { sourceHash, renditions, audio, iframes, closedCaptions, pictures, damage, rateFactors, h264Preset, savings } = result
  const completed = await whileHeld(lease, async (tx) => {
    if (replaces && (await isBeingTranscoded(replaces, tx))) return false
    const qualities = renditions.map(({ quality }) => quality)
    // The change of the status deletes the tasks.
    await scoreEstimate(tx, lease)
    await tx.$executeRaw`
      UPDATE video SET status = 'COMPLETED', completed_at = service_now(), progress = 100, eta_sec = NULL, qualities = ${qualities},
        target_quality = ${qualities[0]}, 
        source_key = CASE WHEN reencodes THEN ${sourceKey(videoId)} ELSE source_key END, source_hash = ${sourceHash}, closed_captions = ${closedCaptions},
        poster = COALESCE(poster_uploaded, ${pictures.poster}),
        poster_candidates = ${pictures.candidates}, picture_bytes = ${pictures.bytes}, storyboard = ${JSON.stringify(pictures.storyboard)}::jsonb,
        rate_factors = ${rateFactors && JSON.stringify(rateFactors)}::jsonb, h264_preset = ${h264Preset},
        damage = ${damage.length > 0 ? JSON.stringify(damage) : null}::jsonb
      WHERE id = ${videoId}`
    await tx.rendition.deleteMany({ where: { videoId } })
    await tx.audioRendition.deleteMany({ where: { videoId } })
    await tx.iframeRendition.deleteMany({ where: { videoId } })
    if (replaces) await switchSource(tx, { ...lease, replaces })
    const of = { videoId: shownVideo(lease) }
    await tx.rendition.createMany({ data: renditions.map((rendition) => ({ ...of, ...rendition })) })
    await tx.audioRendition.createMany({ data: audio.map((track) => ({ ...of, ...track })) })
    await tx.iframeRendition.createMany({ data: iframes.map((one) => ({ ...of, ...one })) })
    // Nothing changed for the customer's systems.
    if (!reencodes) await emitVideoEvent(tx, { ...lease, ...of }, 'video.processing.completed')
    const ready = `eady to play in ${qualities.join(', ')}.`
    await appendVideoLog(tx, of.videoId, 'complete', savings ?? (replaces ? `The new source is r${ready}` : `R${ready}`))
    return true
  })
  return completed ?? false
}

/** Returns whether the video is COMPLETED: the response to an earlier `complete` may have been lost. */
export const isCompleted = async ({ videoId }: TranscodeLease): Promise<boolean> =>
  (await db().video.count({ where: { OR: [{ id: videoId, status: 'COMPLETED' }, { mediaId: videoId }] } })) === 1
