import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../errors.ts'
import { services } from '../../../platform/container.ts'
import { readExtra } from '../../videos/extras.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { firstPts } from '../segments/first-pts.ts'
import { openMediaPermit } from '../sessions/media-permit.ts'
import type { CaptionTrack } from './media-streams.ts'
import { streamsNamed, streamsOf } from './streams.ts'

/** Memory of texts of captions, with what `textReply` keeps of each. */
const CACHE_BYTES = 64 * 1024 ** 2

interface CaptionText {
  videoId: string
  /** Of the stored file: the hash of its content. */
  name: string
  /** Time stamp of the first segment. */
  first: number
}

/** One object for all viewers, which `textReply` compresses once. */
interface SharedLines {
  lines: string
}

declare module '../../../platform/container.ts' {
  interface Services {
    /** By what they are made from, so nothing in it ever changes. */
    captionTexts: LRUCache<string, SharedLines, CaptionText>
  }
}

export const makeCaptionTexts = () =>
  new LRUCache<string, SharedLines, CaptionText>({
    maxSize: CACHE_BYTES,
    // The text in two bytes a letter, its bytes in UTF-8, and at most as many compressed ones.
    sizeCalculation: ({ lines }) => 2 * lines.length + 2 * Buffer.byteLength(lines) + 1,
    // Callers at the same time wait for one text.
    fetchMethod: async (_key, _former, { context: { videoId, name, first } }) => {
      const vtt = String(await readExtra(videoId, name))
      return { lines: vtt.replace(/^WEBVTT/, `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${first},LOCAL:00:00:00.000`) }
    },
  })

interface CaptionInput {
  videoId: string
  permit: string
  /** BCP 47; then the `suffix` of the set of streams that they play with. */
  language: string
}

/**
 * Returns the playlist of a language: one WebVTT file of the video's length. Errors: PLAYBACK_TOKEN_INVALID,
 * PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND, NOT_FOUND.
 */
export async function captionPlaylist({ videoId, permit, language }: CaptionInput): Promise<string> {
  await openMediaPermit(videoId, permit, 'session')
  const { streams, name } = await streamsNamed(videoId, language)
  const { renditions, isWhole, durationSec, suffix } = streams
  track((await streamsOf(videoId)).captions, name)
  const seconds = isWhole ? (renditions[0]?.seconds ?? 0) : durationSec
  const head = `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:${Math.ceil(Math.max(1, seconds))}\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n`
  return `${head}#EXTINF:${seconds.toFixed(6)},\ncaptions-${name}${suffix}.vtt\n#EXT-X-ENDLIST\n`
}

/**
 * Returns the captions of a language as WebVTT, mapped to the segments' time stamps (RFC 8216 §3.5). Errors: see captionPlaylist.
 */
export async function captionFile({ videoId, permit, language }: CaptionInput): Promise<SharedLines> {
  await openMediaPermit(videoId, permit, 'captions')
  const { streams, name } = await streamsNamed(videoId, language)
  const { renditions, contentKey, mediaId } = streams
  const { captions } = await streamsOf(videoId)
  const stored = track(captions, name).name
  // The lowest rendition, whose segments are the smallest; all begin at the same time.
  const lowest = renditions.findLast(({ codec }) => codec === 'h264')
  const first = await firstPts(segmentKey(mediaId, lowest?.first ?? ''), contentKey)
  return services().captionTexts.forceFetch(`${videoId} ${stored} ${first}`, { context: { videoId, name: stored, first } })
}

function track(captions: readonly CaptionTrack[], language: string): CaptionTrack {
  const found = captions.find((one) => one.language === language)
  if (!found) throw new ServiceError('NOT_FOUND', { message: 'This video has no captions in this language.' })
  return found
}
