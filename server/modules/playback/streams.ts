import { ServiceError } from '../../errors.ts'
import { NotifiedCache } from '../../platform/cache.ts'
import { services } from '../../platform/container.ts'
import { query } from '../../platform/database.ts'
import { openContentKey } from '../transcoding/content-key.ts'
import type { Storyboard } from '../videos/schema.ts'
import { segmentBase } from '../videos/segment-address.ts'
import { SERVED, SERVED_TOPICS } from '../videos/served.ts'

/** One rendition as in playlists. Rates in bits per second. */
export interface RenditionStream {
  quality: string
  width: number
  height: number
  bandwidth: number
  averageBandwidth: number
  codecs: string
  frameRate: number
  /** Whole seconds that no segment exceeds. */
  targetDuration: number
  /** Length of all segments. */
  seconds: number
  /** The playlist's lines from the first segment to the last, equal for all viewers. */
  lines: string
}

/** Captions in one language; `name` is their name in storage. */
export interface CaptionTrack {
  language: string
  label: string
  name: string
}

/** Data for the playlists, the key and the pictures of a COMPLETED video. */
export interface VideoStreams {
  /** Highest first. */
  renditions: RenditionStream[]
  /** AES-128, 16 bytes; undefined when the video is not encrypted. */
  contentKey: Buffer | undefined
  durationSec: number
  /** By label. */
  captions: CaptionTrack[]
  /** Names of the poster and of its candidates. */
  poster: string | null
  posterCandidates: string[]
  posterUploaded: string | null
  storyboard: Storyboard | null
}

type Row = Omit<RenditionStream, 'targetDuration' | 'seconds' | 'lines'> & { segments: [string, number][] }
type VideoRow = Pick<VideoStreams, 'durationSec' | 'poster' | 'posterCandidates' | 'posterUploaded' | 'storyboard'> & {
  encrypted: boolean
  contentKey: Buffer | null
  captions: CaptionTrack[] | null
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
  const bytesOf = ({ renditions }: VideoStreams) => renditions.reduce((sum, rendition) => sum + rendition.lines.length, 1_000)
  return new NotifiedCache<VideoStreams>('streams', CACHE_BYTES, SERVED_TOPICS, bytesOf)
}

/** Returns the streams of a video. A permit or signature bound to its id authorizes the caller. Errors: VIDEO_NOT_FOUND. */
export async function streamsOf(videoId: string): Promise<VideoStreams> {
  const found = /^vid_\w{1,60}$/.test(videoId) ? await cache().get(videoId, () => load(videoId)) : undefined
  if (!found) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'No such video exists.' })
  return found
}

async function load(videoId: string): Promise<VideoStreams | undefined> {
  const [video] = await query<VideoRow>(
    'playable-media-of-video',
    `SELECT encrypted, content_key AS "contentKey", duration_sec AS "durationSec", storyboard, poster,
       poster_candidates AS "posterCandidates", poster_uploaded AS "posterUploaded",
       (SELECT json_agg(json_build_object('language', language, 'label', label, 'name', name) ORDER BY label, language)
        FROM caption WHERE video_id = video.id) AS captions
     FROM video WHERE id = $1 AND ${SERVED} AND status = 'COMPLETED'`,
    [videoId],
  )
  if (!video) return undefined
  const rows = await query<Row>(
    'streams-of-video',
    `SELECT quality, width, height, bandwidth, average_bandwidth AS "averageBandwidth", codecs, frame_rate AS "frameRate", segments
     FROM rendition WHERE video_id = $1 ORDER BY width * height DESC`,
    [videoId],
  )
  if (rows.length === 0) return undefined
  const { encrypted, contentKey: sealed, captions, ...rest } = video
  const contentKey = encrypted && sealed ? openContentKey(sealed, videoId) : undefined
  return {
    ...rest,
    captions: captions ?? [],
    renditions: rows.map((row) => renditionStream(row, segmentBase(videoId, { encrypted }))),
    contentKey,
  }
}

function renditionStream({ segments, ...rendition }: Row, base: string): RenditionStream {
  const lines = segments.map(([name, seconds]) => `#EXTINF:${seconds.toFixed(6)},\n${base}${name}.ts\n`).join('')
  const targetDuration = Math.ceil(Math.max(1, ...segments.map(([, seconds]) => seconds)))
  return { ...rendition, targetDuration, seconds: segments.reduce((sum, [, seconds]) => sum + seconds, 0), lines }
}
