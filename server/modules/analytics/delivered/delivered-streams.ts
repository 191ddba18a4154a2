import { LRUCache } from 'lru-cache'
import { services } from '../../../platform/container.ts'
import { query, type Runner } from '../../../platform/database/database.ts'
import { FRAGMENT } from '../../videos/media-keys.ts'
import type { DeliveredCodec } from './delivered-schema.ts'

/** What a segment belongs to. */
export interface DeliveredStream {
  codec: DeliveredCodec
  /** A rendition's quality, `audio-<position>` or `iframes-<quality>`. Empty if unknown. */
  stream: string
  /** Mean bytes of its segments. 0 if unknown. */
  segmentBytes: number
  /** Bytes that H.264 takes per byte of this stream, at equal quality. */
  h264Ratio: number
}

/** One media's segments. */
export interface DeliveredMedia {
  videoId: string
  accountId: string
  streams: DeliveredStream[]
  /** Position in `streams`, by segment. */
  bySegment: Map<string, number>
}

/** Maximum number of segment names known at once, across all media: about 25 MB. An hour in six renditions has 5,000. */
const MOST_NAMES = 200_000
/** The H.264 renditions can be re-encoded, which changes ratios. */
const KNOWN_MS = 3_600_000

declare module '../../../platform/container.ts' {
  interface Services {
    /** By media id. */
    deliveredMedia: LRUCache<string, DeliveredMedia>
  }
}

export const makeDeliveredMedia = () =>
  new LRUCache<string, DeliveredMedia>({ maxSize: MOST_NAMES, sizeCalculation: ({ bySegment }) => bySegment.size + 1, ttl: KNOWN_MS })

interface Row {
  mediaId: string
  videoId: string
  accountId: string
  streams: { codec: DeliveredCodec; stream: string; bytes: number; names: string[] }[] | null
  [column: string]: unknown
}

const NAMES = (segments: string) => `(SELECT json_agg(segment ->> 0) FROM jsonb_array_elements(${segments}) AS segment)`
const LISTED = (codec: string, stream: string, table: string) =>
  `SELECT ${codec} AS codec, ${stream} AS stream, bytes::float8 AS bytes, ${NAMES('segments')} AS names FROM ${table} WHERE media_id = m.id`
const BYTES = (segments: string) => `(SELECT sum((segment ->> 2)::float8) FROM jsonb_array_elements(${segments}) AS segment)`
/** Segments of a video that is being transcoded but already plays. */
const GROWING = (codec: string, stream: string, segments: string, source: string) =>
  `SELECT '${codec}', ${stream}, ${BYTES(segments)}, ${NAMES(segments)} FROM transcode_task t ${source}
   WHERE t.media_id = m.id AND m.status = 'PROCESSING' AND t.result IS NOT NULL`

/** $1: media ids. */
const READ = `
  SELECT m.id AS "mediaId", m.video_id AS "videoId", m.account_id AS "accountId",
    (SELECT json_agg(listed) FROM (
      ${LISTED('codec', 'quality', 'rendition')}
      UNION ALL ${LISTED("'audio'", "'audio-' || position", 'audio_rendition')}
      UNION ALL ${LISTED("'h264'", "'iframes-' || quality", 'iframe_rendition')}
      UNION ALL ${GROWING('h264', 'r.key', "r.value -> 'segments'", "CROSS JOIN LATERAL jsonb_each(t.result -> 'renditions') AS r")} AND t.kind = 'video'
      UNION ALL ${GROWING('h264', "q.plan -> 'renditions' -> 0 ->> 'quality'", "t.result -> 'segments'", 'JOIN transcode_queue q ON q.media_id = m.id')}
        AND t.kind = 'copy'
      UNION ALL ${GROWING('audio', "'audio-' || t.position", "t.result -> 'segments'", '')} AND t.kind = 'audio') AS listed) AS streams
  FROM media m WHERE m.id = ANY ($1)`

/**
 * Returns what segments belong to, by media ID. Does not read media again if all its segments are known. Leaves out media of purged videos
 * and of test keys.
 */
export async function deliveredMedia(wanted: ReadonlyMap<string, Iterable<string>>, on: Runner): Promise<Map<string, DeliveredMedia>> {
  const cache = services().deliveredMedia
  const found = new Map<string, DeliveredMedia>()
  const unknown: string[] = []
  for (const [mediaId, names] of wanted) {
    const known = cache.get(mediaId)
    if (known && [...names].every((name) => known.bySegment.has(name))) found.set(mediaId, known)
    else unknown.push(mediaId)
  }
  const rows = unknown.length > 0 ? await query<Row>('delivered-media', READ, [unknown], on) : []
  for (const row of rows) {
    const media = mediaOf(row)
    cache.set(row.mediaId, media)
    found.set(row.mediaId, media)
  }
  return found
}

function mediaOf({ videoId, accountId, streams }: Row): DeliveredMedia {
  const media: DeliveredMedia = { videoId, accountId, streams: [], bySegment: new Map() }
  const all = streams ?? []
  const renditions = all.filter(({ stream }) => /^\d+p$/.test(stream))
  const h264 = Object.fromEntries(renditions.flatMap(({ codec, stream, bytes }) => (codec === 'h264' ? [[stream, bytes]] : [])))
  const further = renditions.filter(({ codec }) => codec === 'av1')
  for (const { codec, stream, bytes, names } of all) {
    const h264Ratio = codec === 'av1' ? ratioTo(h264, further, stream) : 1
    for (const name of names ?? []) media.bySegment.set(name, media.streams.length)
    media.streams.push({ codec, stream, segmentBytes: bytes / Math.max(1, names?.length ?? 0), h264Ratio })
  }
  return media
}

/**
 * Returns the H.264 bytes per byte of a rendition: from the rendition of the same quality, encoded to the same target; else from all that
 * both have, or from the sums. 1 if nothing is known.
 */
export function ratioTo(
  h264: Readonly<Record<string, number>>,
  pictures: readonly { stream: string; bytes: number }[],
  stream: string,
): number {
  const both = pictures.filter((one) => (h264[one.stream] ?? 0) > 0 && one.bytes > 0)
  const same = both.filter((one) => one.stream === stream)
  const sums = (of: readonly { stream: string; bytes: number }[]) => ({
    h264: of.reduce((sum, one) => sum + (h264[one.stream] as number), 0),
    own: of.reduce((sum, one) => sum + one.bytes, 0),
  })
  const compared = sums(same.length > 0 ? same : both)
  return compared.own > 0 ? compared.h264 / compared.own : 1
}

/** Returns the stream of a segment that no list names: it belongs to a stream that was removed in the meantime. */
export const streamUnknown = (file: string): DeliveredStream => ({
  ...{ codec: file.endsWith(FRAGMENT) ? 'av1' : 'h264', stream: '' },
  ...{ segmentBytes: 0, h264Ratio: 1 },
})
