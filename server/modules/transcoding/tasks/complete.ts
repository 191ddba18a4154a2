import { db } from '../../../platform/database/database.ts'
import { sourceKey } from '../../videos/media-keys.ts'
import { unqueueMedia } from '../../videos/queue-media.ts'
import { appendVideoLog, emitVideoEvent } from '../../videos/video-log.ts'
import type { DamagedPart } from '../encode/damage.ts'
import type { StoredPictures } from '../pictures/pictures.ts'
import type { H264Preset } from '../plan/encoders.ts'
import type { CaptionChannel } from '../probe/closed-captions.ts'
import type { FoundCaptions } from '../probe/source-captions.ts'
import type { QualitySearch } from '../quality/rate-factor.ts'
import { queueAutoCaptions } from '../transcripts/request-transcript.ts'
import { type TranscodeLease, whileHeld } from './lease.ts'
import type { StoredAudio, StoredIframes, StoredRendition } from './store.ts'
import { isBeingTranscoded, switchMedia } from './switch-source.ts'

interface Result {
  /** SHA-256 of the original. */
  sourceHash: Buffer<ArrayBuffer>
  renditions: StoredRendition[]
  audio: StoredAudio[]
  iframes: StoredIframes[]
  /** Caption channels in the picture, in order. */
  closedCaptions: CaptionChannel[]
  pictures: StoredPictures
  damage: readonly DamagedPart[]
  /** The source's captions that the video gets with replacing media. */
  captions: readonly FoundCaptions[]
  /** For a re-encoded video: what it saves, for its owner. */
  savings?: string | undefined
  /** Null if the usual rate factor was used. */
  rateFactors: QualitySearch | null
  /** x264 preset of all renditions. Null if one was copied or another encoder was used. */
  h264Preset: H264Preset | null
}

/**
 * PROCESSING → COMPLETED with everything playback needs, in one transaction; removes the tasks. Media that replaces other media plays from
 * then on. Returns false if the lease is lost, and while the media it replaces is being transcoded.
 */
export async function complete(lease: TranscodeLease, result: Result): Promise<boolean> {
  const { mediaId, videoId, replaces, reencodes } = lease
  const { sourceHash, renditions, audio, iframes, closedCaptions, pictures, damage, rateFactors, h264Preset, savings } = result
  const completed = await whileHeld(lease, async (tx) => {
    if (replaces && (await isBeingTranscoded(videoId, tx))) return false
    const qualities = renditions.map(({ quality }) => quality)
    await tx.$executeRaw`
      UPDATE media SET status = 'COMPLETED', completed_at = service_now(), progress = 100, eta_sec = NULL, qualities = ${qualities},
        target_quality = ${qualities[0]},
        source_key = CASE WHEN reencodes THEN ${sourceKey(mediaId)} ELSE source_key END, source_hash = ${sourceHash}, closed_captions = ${closedCaptions},
        poster = ${pictures.poster}, poster_candidates = ${pictures.candidates}, picture_bytes = ${pictures.bytes},
        storyboard = ${JSON.stringify(pictures.storyboard)}::jsonb,
        rate_factors = ${rateFactors && JSON.stringify(rateFactors)}::jsonb, h264_preset = ${h264Preset},
        damage = ${damage.length > 0 ? JSON.stringify(damage) : null}::jsonb
      WHERE id = ${mediaId}`
    await tx.rendition.createMany({ data: renditions.map((rendition) => ({ mediaId, ...rendition })) })
    await tx.audioRendition.createMany({ data: audio.map((track) => ({ mediaId, ...track })) })
    await tx.iframeRendition.createMany({ data: iframes.map((one) => ({ mediaId, ...one })) })
    await unqueueMedia(tx, [mediaId])
    if (replaces) await switchMedia(tx, lease, result.captions)
    else await tx.$executeRaw`UPDATE video SET poster = COALESCE(poster_uploaded, ${pictures.poster}) WHERE id = ${videoId}`
    // Nothing changed for the customer's systems.
    if (!reencodes) {
      await tx.$executeRaw`UPDATE video SET completed_at = service_now() WHERE id = ${videoId}`
      await emitVideoEvent(tx, lease, 'video.processing.completed')
    }
    const ready = `eady to play in ${qualities.join(', ')}.`
    if (!reencodes) await queueAutoCaptions(tx, lease)
    await appendVideoLog(tx, videoId, 'complete', savings ?? (replaces ? `The new source is r${ready}` : `R${ready}`))
    return true
  })
  return completed ?? false
}

/** Returns whether the media is COMPLETED: the response to an earlier `complete` may have been lost. */
export const isCompleted = async ({ mediaId }: TranscodeLease): Promise<boolean> =>
  (await db().media.count({ where: { id: mediaId, status: 'COMPLETED' } })) === 1
