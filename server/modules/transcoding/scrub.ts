import { setTimeout as wait } from 'node:timers/promises'
import { query } from '../../platform/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import { hashObject } from '../videos/hash-object.ts'
import { hashNameOf, type MediaFault } from '../videos/media-faults.ts'
import { extraKey, pictureKey, segmentKey } from '../videos/media-keys.ts'

/** Counts of a run, and the faults found. */
export interface ScrubReport {
  videos: number
  objects: number
  bytes: number
  faults: MediaFault[]
}

/** A COMPLETED video and the names of what is stored of it. */
export interface StoredVideo {
  id: string
  /** Id under which its segments and pictures are stored. */
  mediaId: string
  sourceKey: string
  /** Whether its original is that of another row, which adds its renditions to a video. */
  sharesSource: boolean
  sourceBytes: number
  /** SHA-256, hexadecimal; null when it is not known. */
  sourceHash: string | null
  segments: string[] | null
  pictures: string[] | null
  extras: string[] | null
  [column: string]: unknown
}

/** Videos read from the database at a time. */
const PAGE = 100
/** Objects read concurrently. */
const AT_ONCE = 4

const VIDEOS = `
  SELECT v.id, COALESCE(v.media_id, v.id) AS "mediaId", v.source_key AS "sourceKey",
    v.adds_codec IS NOT NULL AS "sharesSource", v.source_bytes::float8 AS "sourceBytes", encode(v.source_hash, 'hex') AS "sourceHash",
    v.poster_candidates || ARRAY(SELECT jsonb_array_elements_text(v.storyboard -> 'sheets')) AS pictures,
    array_remove(v.poster_uploaded || ARRAY(SELECT c.name FROM caption c WHERE c.video_id = v.id), NULL) AS extras,
    (SELECT array_agg(s.item ->> 0) FROM segment_list r, jsonb_array_elements(r.segments) AS s(item) WHERE r.video_id = v.id) AS segments
  FROM video v WHERE v.status = 'COMPLETED' AND v.id > $1 AND ($2::text IS NULL OR v.id = $2) ORDER BY v.id LIMIT $3`

/** Returns COMPLETED videos in order of their ids: those after `after`, or the one of `videoId`. */
export const storedVideos = ({ after = '', videoId = null, count = PAGE }: { after?: string; videoId?: string | null; count?: number }) =>
  query<StoredVideo>('scrub-videos', VIDEOS, [after, videoId, count])

/** An object, and the beginning of its hash; or its size where no hash is known. */
interface Expected {
  key: string
  hash?: string
  bytes?: number
}

export function objectsOf({
  id,
  mediaId,
  sourceKey,
  sharesSource,
  sourceHash,
  sourceBytes,
  segments,
  pictures,
  extras,
}: StoredVideo): Expected[] {
  const at = (names: string[] | null, keyOf: typeof segmentKey, of = mediaId) =>
    [...new Set(names ?? [])].map((name) => ({ key: keyOf(of, name), hash: hashNameOf(keyOf(of, name)) }))
  const source = sourceHash ? { key: sourceKey, hash: sourceHash } : { key: sourceKey, bytes: sourceBytes }
  return [...(sharesSource ? [] : [source]), ...at(segments, segmentKey), ...at(pictures, pictureKey), ...at(extras, extraKey, id)]
}

/** Limits the rate of a run; resolves when the bytes that were read may be followed by more. */
export type Pace = (bytes: number) => Promise<unknown> | undefined

/** Returns a limit of `bytesPerSecond` on average from now on. */
export function paceOf(bytesPerSecond: number, signal: AbortSignal): Pace {
  const startedAt = performance.now()
  let total = 0
  return (bytes) => {
    total += bytes
    const earlyMs = (total / bytesPerSecond) * 1_000 - (performance.now() - startedAt)
    return earlyMs > 10 ? wait(earlyMs, undefined, { signal }) : undefined
  }
}

/** Reads every stored object of a video and compares its content with its hash. Throws a StorageError when the storage does not respond. */
export async function scrubVideo(video: StoredVideo, { signal, pace }: { signal: AbortSignal; pace?: Pace }): Promise<ScrubReport> {
  const report: ScrubReport = { videos: 1, objects: 0, bytes: 0, faults: [] }
  const objects = objectsOf(video).values()
  const next = async () => {
    for (const expected of objects) {
      signal.throwIfAborted()
      const { kind, bytes } = await compare(expected, pace)
      report.objects++
      report.bytes += bytes
      if (kind) report.faults.push({ videoId: video.id, key: expected.key, kind })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return report
}

/**
 * Scrubs all COMPLETED videos, or one. Calls `onVideo` with the report of each. Throws a StorageError when the storage does not respond.
 */
export async function scrubMedia(
  { videoId = null, signal, pace }: { videoId?: string | null; signal: AbortSignal; pace?: Pace },
  onVideo: (report: ScrubReport) => Promise<unknown> | undefined = () => undefined,
): Promise<ScrubReport> {
  const total: ScrubReport = { videos: 0, objects: 0, bytes: 0, faults: [] }
  for (let after = ''; ; ) {
    const videos = await storedVideos({ after, videoId })
    for (const video of videos) {
      const report = await scrubVideo(video, { signal, ...(pace && { pace }) })
      for (const figure of ['videos', 'objects', 'bytes'] as const) total[figure] += report[figure]
      total.faults.push(...report.faults)
      await onVideo(report)
    }
    const last = videos.at(-1)
    if (!last || videos.length < PAGE) return total
    after = last.id
  }
}

async function compare({ key, hash, bytes }: Expected, pace?: Pace): Promise<{ kind?: MediaFault['kind']; bytes: number }> {
  try {
    if (hash === undefined) {
      const stored = await storage().stat(key)
      return stored?.bytes === bytes ? { bytes: 0 } : { kind: stored ? 'changed' : 'missing', bytes: 0 }
    }
    const found = await hashObject(key, { ...(pace && { onPart: (part: Uint8Array) => pace(part.byteLength) }) })
    return found.hash.startsWith(hash) ? { bytes: found.bytes } : { kind: 'changed', bytes: found.bytes }
  } catch (error) {
    if (isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING') return { kind: 'missing', bytes: 0 }
    throw error
  }
}
