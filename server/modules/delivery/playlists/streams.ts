import { ServiceError } from '../../../errors.ts'
import { NotifiedCache } from '../../../platform/cache.ts'
import { services } from '../../../platform/container.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
import { openContentKey } from '../../transcoding/encode/content-key.ts'
import { SEGMENT_SEC } from '../../transcoding/encode/segment-files.ts'
import { PLAYABLE, SERVED, SERVED_TOPICS } from '../../videos/owned-video.ts'
import { segmentBase } from '../../videos/segment-address.ts'
import { fixtureStreams } from '../segments/fixture-media.ts'
import { lastingTarget, type NamedSegment, type SegmentList, segmentList } from '../segments/segment-list.ts'
import { type GrowingPlan, growingStreams, type TaskResult } from './growing-streams.ts'
import type { AudioStream, CaptionTrack, IframeStream, RenditionStream, VideoStreams } from './media-streams.ts'

type StoredRow<Stream> = Omit<Stream, keyof SegmentList> & { segments: NamedSegment[] }
type MediaRow = Pick<
  VideoStreams,
  'mediaId' | 'durationSec' | 'closedCaptions' | 'posterCandidates' | 'storyboard' | 'isWhole' | 'playedEarly'
> & {
  encrypted: boolean
  contentKey: Buffer | null
}
type VideoRow = MediaRow &
  Pick<VideoStreams, 'poster' | 'posterUploaded'> & {
    hasFormer: boolean
    captions: CaptionTrack[] | null
    plan: GrowingPlan | null
    results: TaskResult[] | null
  }

const CACHE_BYTES = 64 * 1024 ** 2

declare module '../../../platform/container.ts' {
  interface Services {
    /** By video. */
    streams: NotifiedCache<VideoStreams>
  }
}

const cache = () => services().streams

export function makeStreams(): NotifiedCache<VideoStreams> {
  const bytesOf = ({ renditions, audio, iframes, former }: VideoStreams): number =>
    [...renditions, ...audio, ...iframes].reduce((sum, { lines }) => sum + lines.length, 1_000) +
    former.reduce((sum, one) => sum + bytesOf(one), 0)
  const topics = { ...SERVED_TOPICS, 'video-growth': SERVED_TOPICS.video, 'media-move': () => undefined }
  return new NotifiedCache<VideoStreams>('streams', CACHE_BYTES, topics, bytesOf)
}

/** Returns a video's streams. A permit or signature bound to its ID authorizes the caller. Errors: VIDEO_NOT_FOUND. */
export async function streamsOf(videoId: string): Promise<VideoStreams> {
  const ofFixture = fixtureStreams(videoId)
  if (ofFixture) return ofFixture
  const found = /^vid_\w{1,60}$/.test(videoId) ? await cache().get(videoId, () => load(videoId)) : undefined
  if (!found) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'No such video exists.' })
  return found
}

/**
 * Returns the streams that a playlist name belongs to, and the name without its suffix: the streams of the media when the master playlist
 * was loaded, or the current ones once those are gone. Errors: VIDEO_NOT_FOUND.
 */
export async function streamsNamed(videoId: string, text: string): Promise<{ streams: VideoStreams; name: string }> {
  const [, name = text, mediaId] = /^([\w-]{1,64}?)(?:-(vid_\w{1,60}))?$/.exec(text) ?? []
  return { streams: setOf(await streamsOf(videoId), mediaId ?? videoId), name }
}

/** Returns a video's set of streams for `mediaId`, or the current one. */
export const setOf = (streams: VideoStreams, mediaId: string): VideoStreams =>
  [streams, ...streams.former].find((set) => set.mediaId === mediaId) ?? streams

const COLUMNS = `
  m.id AS "mediaId", m.encrypted, m.content_key AS "contentKey", m.duration_sec AS "durationSec", m.storyboard,
  m.closed_captions AS "closedCaptions", m.poster_candidates AS "posterCandidates", m.status = 'COMPLETED' AS "isWhole",
  m.playable_at IS NOT NULL AS "playedEarly"`

/** One statement reads plan and results with the status, because completing the media deletes them in the same transaction. */
async function load(videoId: string): Promise<VideoStreams | undefined> {
  const [row] = await query<VideoRow>(
    'playable-media-of-video',
    `SELECT ${COLUMNS}, video.poster, poster_uploaded AS "posterUploaded",
       EXISTS (SELECT FROM media n WHERE n.video_id = video.id AND n.kept_until > service_now()) AS "hasFormer",
       (SELECT json_agg(json_build_object('language', language, 'label', label, 'name', name,
          'automatic', generated AND NOT edited) ORDER BY ${alphabetical('label')}, language)
        FROM caption WHERE video_id = video.id) AS captions,
       CASE m.status WHEN 'PROCESSING' THEN (SELECT plan FROM transcode_queue WHERE media_id = m.id) END AS plan,
       CASE m.status WHEN 'PROCESSING' THEN (
         SELECT json_agg(json_build_object('kind', kind, 'position', position, 'result', result)) FROM transcode_task
         WHERE media_id = m.id AND result IS NOT NULL AND kind IN ('copy', 'video', 'audio')) END AS results
     FROM video JOIN media m ON m.id = video.media_id WHERE video.id = $1 AND ${SERVED} AND ${PLAYABLE}`,
    [videoId],
    vital(),
  )
  if (!row) return undefined
  const { hasFormer, captions, poster, posterUploaded, plan, results, ...media } = row
  const streams = await streamsOfMedia(videoId, media, plan ? { plan, results: results ?? [] } : undefined)
  const former = hasFormer ? await formerStreams(videoId) : []
  return streams && { ...streams, captions: captions ?? [], poster, posterUploaded, former }
}

/** Returns what sessions from before a switch to other media still play. */
async function formerStreams(videoId: string): Promise<VideoStreams[]> {
  const rows = await query<MediaRow>(
    'former-media-of-video',
    `SELECT ${COLUMNS} FROM media m WHERE video_id = $1 AND kept_until > service_now()`,
    [videoId],
    vital(),
  )
  const sets = await Promise.all(rows.map((row) => streamsOfMedia(videoId, row)))
  return sets.filter((set) => set !== undefined)
}

async function streamsOfMedia(
  videoId: string,
  { encrypted, contentKey: sealed, ...media }: MediaRow,
  growing?: { plan: GrowingPlan; results: TaskResult[] },
): Promise<VideoStreams | undefined> {
  const { mediaId } = media
  const base = segmentBase(mediaId, { encrypted })
  const streams = growing ? { ...growingStreams(growing.plan, growing.results, base), iframes: [] } : await storedStreams(base, media)
  if (streams.renditions.length === 0) return undefined
  const contentKey = encrypted && sealed ? openContentKey(sealed, mediaId) : undefined
  const suffix = mediaId === videoId ? '' : `-${mediaId}`
  return { ...media, ...streams, suffix, contentKey, captions: [], poster: null, posterUploaded: null, former: [] }
}

async function storedStreams(base: string, { mediaId, playedEarly }: Pick<MediaRow, 'mediaId' | 'playedEarly'>) {
  const [renditions, audio, iframes] = await Promise.all([
    query<StoredRow<RenditionStream>>(
      'streams-of-media',
      `SELECT codec, quality, width, height, bandwidth, average_bandwidth AS "averageBandwidth", codecs, frame_rate AS "frameRate", segments, init
       FROM rendition WHERE media_id = $1 ORDER BY codec <> 'h264', width * height DESC`,
      [mediaId],
      vital(),
    ),
    query<StoredRow<AudioStream>>(
      'audio-of-media',
      `SELECT position, language, name, is_default AS "isDefault", channels, bandwidth, average_bandwidth AS "averageBandwidth", codecs, segments
       FROM audio_rendition WHERE media_id = $1 ORDER BY position`,
      [mediaId],
      vital(),
    ),
    query<StoredRow<IframeStream>>(
      'iframes-of-media',
      `SELECT quality, width, height, bandwidth, average_bandwidth AS "averageBandwidth", codecs, segments
       FROM iframe_rendition WHERE media_id = $1 ORDER BY width * height DESC`,
      [mediaId],
      vital(),
    ),
  ])
  const [first] = renditions
  const least = playedEarly && first ? lastingTarget(SEGMENT_SEC, first.frameRate) : 1
  const listed = <Row extends { segments: NamedSegment[] }>({ segments, ...row }: Row) => ({
    ...row,
    ...segmentList(segments, base, least),
  })
  return {
    renditions: renditions.map(listed),
    audio: audio.map(listed),
    iframes: iframes.map(({ segments, ...row }) => ({ ...row, ...segmentList(segments, base) })),
  }
}
