import { ServiceError } from '../../errors.ts'
import { NotifiedCache } from '../../platform/cache.ts'
import { services } from '../../platform/container.ts'
import { query, vital } from '../../platform/database.ts'
import { alphabetical } from '../../platform/text-sql.ts'
import { openContentKey } from '../transcoding/content-key.ts'
import { SEGMENT_SEC } from '../transcoding/segment-files.ts'
import { OFFERED_UNTIL } from '../videos/further-codec.ts'
import { segmentBase } from '../videos/segment-address.ts'
import { PLAYABLE, SERVED, SERVED_TOPICS } from '../videos/served.ts'
import { fixtureStreams } from './fixture-media.ts'
import { type GrowingPlan, growingStreams, type TaskResult } from './growing-streams.ts'
import type { AudioStream, CaptionTrack, IframeStream, RenditionStream, VideoStreams } from './media-streams.ts'
import { lastingTarget, type NamedSegment, type SegmentList, segmentList } from './segment-list.ts'

type StoredRow<Stream> = Omit<Stream, keyof SegmentList> & { segments: NamedSegment[] }
type VideoRow = Pick<
  VideoStreams,
  | 'mediaId'
  | 'durationSec'
  | 'closedCaptions'
  | 'poster'
  | 'posterCandidates'
  | 'posterUploaded'
  | 'storyboard'
  | 'isWhole'
  | 'playedEarly'
  | 'isOffered'
> & {
  id: string
  hasSets: boolean
  encrypted: boolean
  contentKey: Buffer | null
  captions: CaptionTrack[] | null
  plan: GrowingPlan | null
  results: TaskResult[] | null
}

const CACHE_BYTES = 64 * 1024 ** 2

declare module '../../platform/container.ts' {
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

/** Returns the streams of a video. A permit or signature bound to its id authorizes the caller. Errors: VIDEO_NOT_FOUND. */
export async function streamsOf(videoId: string): Promise<VideoStreams> {
  const ofFixture = fixtureStreams(videoId)
  if (ofFixture) return ofFixture
  const found = /^vid_\w{1,60}$/.test(videoId) ? await cache().get(videoId, () => load(videoId)) : undefined
  if (!found) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'No such video exists.' })
  return found
}

/**
 * Returns the streams that a name in a playlist belongs to, and the name without its end: those of the source at the time when the master
 * playlist was loaded, or the present ones once those are gone. Errors: VIDEO_NOT_FOUND.
 */
export async function streamsNamed(videoId: string, text: string): Promise<{ streams: VideoStreams; name: string }> {
  const [, name = text, mediaId] = /^([\w-]{1,64}?)(?:-(vid_\w{1,60}))?$/.exec(text) ?? []
  return { streams: setOf(await streamsOf(videoId), mediaId ?? videoId), name }
}

/** Returns the set of a video's streams that is stored under `mediaId`, or the present one. */
export const setOf = (streams: VideoStreams, mediaId: string): VideoStreams =>
  [streams, ...streams.former].find((set) => set.mediaId === mediaId) ?? streams

const COLUMNS = `
  id, COALESCE(media_id, id) AS "mediaId", adds_codec IS NOT NULL AND kept_until IS NOT NULL AND kept_until = '${OFFERED_UNTIL}' AS "isOffered",
  EXISTS (SELECT FROM video n WHERE n.replaces = video.id AND n.kept_until > service_now()) AS "hasSets", encrypted, content_key AS "contentKey",
  duration_sec AS "durationSec", storyboard, poster, closed_captions AS "closedCaptions", poster_candidates AS "posterCandidates",
  poster_uploaded AS "posterUploaded", status = 'COMPLETED' AS "isWhole", playable_at IS NOT NULL AS "playedEarly"`

/** Plan and results are read in one statement with the status: they are deleted in the transaction that completes the video. */
async function load(videoId: string): Promise<VideoStreams | undefined> {
  const [video] = await query<VideoRow>(
    'playable-media-of-video',
    `SELECT ${COLUMNS},
       (SELECT json_agg(json_build_object('language', language, 'label', label, 'name', name) ORDER BY ${alphabetical('label')}, language)
        FROM caption WHERE video_id = video.id) AS captions,
       CASE status WHEN 'PROCESSING' THEN (SELECT plan FROM transcode_queue WHERE video_id = video.id) END AS plan,
       CASE status WHEN 'PROCESSING' THEN (
         SELECT json_agg(json_build_object('kind', kind, 'position', position, 'result', result)) FROM transcode_task
         WHERE video_id = video.id AND result IS NOT NULL AND kind IN ('copy', 'video', 'audio')) END AS results
     FROM video WHERE id = $1 AND ${SERVED} AND ${PLAYABLE}`,
    [videoId],
    vital(),
  )
  const streams = video && (await streamsOfRow(videoId, video))
  return streams && video.hasSets ? { ...streams, former: await formerStreams(videoId) } : streams
}

/** Returns the sets that sessions from before a replacement still play, and those of further codecs. */
async function formerStreams(videoId: string): Promise<VideoStreams[]> {
  const rows = await query<Omit<VideoRow, 'captions' | 'plan' | 'results'>>(
    'former-media-of-video',
    `SELECT ${COLUMNS} FROM video WHERE replaces = $1 AND kept_until > service_now()`,
    [videoId],
    vital(),
  )
  const sets = await Promise.all(rows.map((row) => streamsOfRow(videoId, { ...row, captions: null, plan: null, results: null })))
  return sets.filter((set) => set !== undefined)
}

async function streamsOfRow(videoId: string, video: VideoRow): Promise<VideoStreams | undefined> {
  const { id, hasSets: _, encrypted, contentKey: sealed, captions, plan, results, ...rest } = video
  const { mediaId } = rest
  const base = segmentBase(mediaId, { encrypted })
  const streams = plan ? { ...growingStreams(plan, results ?? [], base), iframes: [] } : await storedStreams(id, base, video)
  if (streams.renditions.length === 0) return undefined
  const contentKey = encrypted && sealed ? openContentKey(sealed, id) : undefined
  const suffix = mediaId === videoId ? '' : `-${mediaId}`
  return { ...rest, ...streams, suffix, captions: captions ?? [], contentKey, former: [] }
}

async function storedStreams(videoId: string, base: string, { playedEarly }: VideoRow) {
  const [renditions, audio, iframes] = await Promise.all([
    query<StoredRow<RenditionStream>>(
      'streams-of-video',
      `SELECT quality, width, height, bandwidth, average_bandwidth AS "averageBandwidth", codecs, frame_rate AS "frameRate", segments, init
       FROM rendition WHERE video_id = $1 ORDER BY width * height DESC`,
      [videoId],
      vital(),
    ),
    query<StoredRow<AudioStream>>(
      'audio-of-video',
      `SELECT position, language, name, is_default AS "isDefault", channels, bandwidth, average_bandwidth AS "averageBandwidth", codecs, segments
       FROM audio_rendition WHERE video_id = $1 ORDER BY position`,
      [videoId],
      vital(),
    ),
    query<StoredRow<IframeStream>>(
      'iframes-of-video',
      `SELECT quality, width, height, bandwidth, average_bandwidth AS "averageBandwidth", codecs, segments
       FROM iframe_rendition WHERE video_id = $1 ORDER BY width * height DESC`,
      [videoId],
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
