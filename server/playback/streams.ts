import { ServiceError } from '../errors.ts'
import { NotifiedCache } from '../infra/cache.ts'
import { query } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { processWide } from '../infra/process-wide.ts'
import { openContentKey } from '../transcode/content-key.ts'

/** One rung as playlists show it. Rates in bits per second. */
export interface RungStream {
  quality: string
  width: number
  height: number
  bandwidth: number
  averageBandwidth: number
  codecs: string
  frameRate: number
  /** Whole seconds no segment exceeds. */
  targetDuration: number
  /** The playlist's lines from the first segment to the last, the same for everyone. */
  lines: string
}

/** What the playlists and the key of a COMPLETED video are made from. */
export interface VideoStreams {
  /** Highest first. */
  rungs: RungStream[]
  /** AES-128, 16 bytes; undefined when the video is not encrypted. */
  contentKey: Buffer | undefined
}

type Row = Omit<RungStream, 'targetDuration' | 'lines'> & { encrypted: boolean; contentKey: Buffer | null; segments: [string, number][] }

const CACHE_BYTES = 64 * 1024 ** 2

const cache = () =>
  processWide('streams-cache', () => {
    const videoOf = (subject: string) => subject.slice(subject.indexOf(':') + 1)
    const bytesOf = ({ rungs }: VideoStreams) => rungs.reduce((sum, rung) => sum + rung.lines.length, 1_000)
    return new NotifiedCache<VideoStreams>(CACHE_BYTES, { video: videoOf }, bytesOf)
  })

/** The streams of a video. The caller's right to them is a grant or signature bound to its id. Errors: VIDEO_NOT_FOUND. */
export async function streamsOf(videoId: string): Promise<VideoStreams> {
  const found = /^vid_\w{1,60}$/.test(videoId) ? await cache().get(videoId, () => load(videoId)) : undefined
  if (!found) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'There is no such video to play.' })
  return found
}

async function load(videoId: string): Promise<VideoStreams | undefined> {
  const rows = await query<Row>(
    'streams-of-video',
    `SELECT v.encrypted, v.content_key AS "contentKey", r.quality, r.width, r.height, r.bandwidth, r.average_bandwidth AS "averageBandwidth",
       r.codecs, r.frame_rate AS "frameRate", r.segments
     FROM video v JOIN rendition r ON r.video_id = v.id
     WHERE v.id = $1 AND v.deleted_at IS NULL AND v.status = 'COMPLETED' ORDER BY r.width * r.height DESC`,
    [videoId],
  )
  const [first] = rows
  if (!first) return undefined
  const contentKey = first.encrypted && first.contentKey ? openContentKey(first.contentKey, videoId) : undefined
  return { rungs: rows.map((row) => rungStream(videoId, row)), contentKey }
}

function rungStream(videoId: string, { segments, encrypted: _e, contentKey: _k, ...rung }: Row): RungStream {
  const base = `${env().CDN_URL}/cdn/segments/${videoId}`
  const lines = segments.map(([name, seconds]) => `#EXTINF:${seconds.toFixed(6)},\n${base}/${name}.ts\n`).join('')
  const targetDuration = Math.ceil(Math.max(1, ...segments.map(([, seconds]) => seconds)))
  return { ...rung, targetDuration, lines }
}
