import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../errors.ts'
import { services } from '../../../platform/container.ts'
import { query } from '../../../platform/database/database.ts'
import { toVttFile } from '../../../platform/speech/cue-files.ts'
import { streamKey } from '../../transcoding/encode/content-key.ts'
import { readExtra } from '../../videos/extras.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { PLAYABLE, SERVED } from '../../videos/owned-video.ts'
import type { Chapter } from '../../videos/schema.ts'
import { firstPts } from '../segments/content-key.ts'
import { openMediaPermit } from '../sessions/media-permit.ts'
import type { CaptionTrack } from './media-streams.ts'
import { streamsNamed, streamsOf } from './streams.ts'

/** Memory for caption texts, with what `textReply` keeps of each. */
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
    // Concurrent callers wait for one text.
    fetchMethod: async (_key, _former, { context: { videoId, name, first } }) => {
      const vtt = String(await readExtra(videoId, name))
      return { lines: vtt.replace(/^WEBVTT/, `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${first},LOCAL:00:00:00.000`) }
    },
  })

interface CaptionInput {
  videoId: string
  permit: string
  /** BCP 47, then the `suffix` of the set of streams that they play with. */
  language: string
}

/**
 * Returns a language's playlist: one WebVTT file of the video's length. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED,
 * VIDEO_NOT_FOUND, NOT_FOUND.
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

/** Returns a language's captions as WebVTT, mapped to the segments' time stamps (RFC 8216 §3.5). Errors: as `captionPlaylist`. */
export async function captionFile({ videoId, permit, language }: CaptionInput): Promise<SharedLines> {
  await openMediaPermit(videoId, permit, 'captions')
  const { streams, name } = await streamsNamed(videoId, language)
  const { renditions, contentKey, mediaId } = streams
  const { captions } = await streamsOf(videoId)
  const stored = track(captions, name).name
  // The lowest rendition, whose segments are the smallest. All start at the same time.
  const lowest = renditions.findLast(({ codec }) => codec === 'h264')
  const key = contentKey && streamKey(contentKey, lowest?.quality ?? '')
  const first = await firstPts(segmentKey(mediaId, lowest?.first ?? ''), key)
  return services().captionTexts.forceFetch(`${videoId} ${stored} ${first}`, { context: { videoId, name: stored, first } })
}

function track(captions: readonly CaptionTrack[], language: string): CaptionTrack {
  const found = captions.find((one) => one.language === language)
  if (!found) throw new ServiceError('NOT_FOUND', { message: 'This video has no captions in this language.' })
  return found
}

/**
 * Returns a video's chapters as WebVTT, for `<track kind="chapters">`. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED,
 * VIDEO_NOT_FOUND, NOT_FOUND if it has none.
 */
export async function chapterCues({ videoId, permit }: { videoId: string; permit: string }): Promise<string> {
  await openMediaPermit(videoId, permit, 'session')
  const [row] = await query<{ chapters: Chapter[] | null }>(
    'chapters-of-video',
    `SELECT m.chapters FROM video JOIN media m ON m.id = video.media_id WHERE video.id = $1 AND ${SERVED} AND ${PLAYABLE}`,
    [videoId],
  )
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'No such video exists.' })
  if (!row.chapters) throw new ServiceError('NOT_FOUND', { message: 'This video has no chapters.' })
  return toVttFile(row.chapters.map(({ startSec, endSec, title }) => ({ fromSec: startSec, toSec: endSec, lines: [title] })))
}
