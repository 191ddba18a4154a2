import { setTimeout as wait } from 'node:timers/promises'
import { query } from '../../platform/database/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError, isUnreadable } from '../../platform/storage/storage-error.ts'
import { hashNameOf, type MediaFault } from '../videos/media-faults.ts'
import { extraKey, pictureKey, segmentKey } from '../videos/media-keys.ts'
import { hashObject } from './hash-object.ts'

/** A run's counts, and the faults it found. */
export interface ScrubReport {
  media: number
  objects: number
  bytes: number
  faults: MediaFault[]
}

/** COMPLETED media and the names of everything stored of it. For media that plays, also the owner's files. */
export interface StoredMedia {
  id: string
  videoId: string
  sourceKey: string
  sourceBytes: number
  /** SHA-256, hexadecimal. Null if unknown. */
  sourceHash: string | null
  segments: string[] | null
  pictures: string[] | null
  extras: string[] | null
  [column: string]: unknown
}

/** Media read from the database at a time. */
const PAGE = 100
/** Objects read concurrently. */
const AT_ONCE = 4

const MEDIA = `
  SELECT m.id, m.video_id AS "videoId", m.source_key AS "sourceKey", m.source_bytes::float8 AS "sourceBytes",
    encode(m.source_hash, 'hex') AS "sourceHash",
    m.poster_candidates || ARRAY(SELECT jsonb_array_elements_text(m.storyboard -> 'sheets')) AS pictures,
    (SELECT array_remove(v.poster_uploaded || ARRAY(SELECT t.name FROM caption_text t WHERE t.video_id = v.id), NULL)
      FROM video v WHERE v.media_id = m.id) AS extras,
    (SELECT array_agg(s.item ->> 0) FROM segment_list r, jsonb_array_elements(r.segments) AS s(item) WHERE r.media_id = m.id) AS segments
  FROM media m WHERE m.status = 'COMPLETED' AND m.id > $1 AND ($2::text IS NULL OR m.video_id = $2) AND ($3::text IS NULL OR m.id = $3)
  ORDER BY m.id LIMIT $4`

/** Returns COMPLETED media by ID: what comes after `after`, a video's, or one. */
export const storedMedia = ({
  after = '',
  videoId = null,
  mediaId = null,
  count = PAGE,
}: {
  after?: string
  videoId?: string | null
  mediaId?: string | null
  count?: number
}) => query<StoredMedia>('scrub-media', MEDIA, [after, videoId, mediaId, count])

/** An object, and the start of its hash, or its size if no hash is known. */
interface Expected {
  key: string
  hash?: string
  bytes?: number
}

export function objectsOf({ id, videoId, sourceKey, sourceHash, sourceBytes, segments, pictures, extras }: StoredMedia): Expected[] {
  const at = (names: string[] | null, keyOf: typeof segmentKey, of = id) =>
    [...new Set(names ?? [])].map((name) => ({ key: keyOf(of, name), hash: hashNameOf(keyOf(of, name)) }))
  const source = sourceHash ? { key: sourceKey, hash: sourceHash } : { key: sourceKey, bytes: sourceBytes }
  return [source, ...at(segments, segmentKey), ...at(pictures, pictureKey), ...at(extras, extraKey, videoId)]
}

/** Limits a run's rate. Resolves when more bytes may be read. */
export type Pace = (bytes: number) => Promise<unknown> | undefined

/** Returns a limit of `bytesPerSecond` on average, starting now. */
export function paceOf(bytesPerSecond: number, signal: AbortSignal): Pace {
  const startedAt = performance.now()
  let total = 0
  return (bytes) => {
    total += bytes
    const earlyMs = (total / bytesPerSecond) * 1_000 - (performance.now() - startedAt)
    return earlyMs > 10 ? wait(earlyMs, undefined, { signal }) : undefined
  }
}

/** Reads every stored object of one media and compares its content with its hash. Throws a StorageError if the storage does not respond. */
export async function scrubOne(media: StoredMedia, { signal, pace }: { signal: AbortSignal; pace?: Pace }): Promise<ScrubReport> {
  const report: ScrubReport = { media: 1, objects: 0, bytes: 0, faults: [] }
  const objects = objectsOf(media).values()
  const next = async () => {
    for (const expected of objects) {
      signal.throwIfAborted()
      const { kind, bytes } = await compare(expected, pace)
      report.objects++
      report.bytes += bytes
      if (kind) report.faults.push({ mediaId: media.id, key: expected.key, kind })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  if (report.faults.length > 0) report.faults = await stillNamed(report.faults, media.id)
  return report
}

/** Returns the faults in what is still stored: saved drafts of captions are removed as they are replaced. */
async function stillNamed(faults: readonly MediaFault[], mediaId: string): Promise<MediaFault[]> {
  const [media] = await storedMedia({ mediaId })
  const keys = new Set(media && objectsOf(media).map(({ key }) => key))
  return faults.filter(({ key }) => keys.has(key))
}

/** Scrubs all COMPLETED media, or one video's. Calls `onMedia` with each report. Throws a StorageError if the storage does not respond. */
export async function scrubMedia(
  { videoId = null, signal, pace }: { videoId?: string | null; signal: AbortSignal; pace?: Pace },
  onMedia: (report: ScrubReport) => Promise<unknown> | undefined = () => undefined,
): Promise<ScrubReport> {
  const total: ScrubReport = { media: 0, objects: 0, bytes: 0, faults: [] }
  for (let after = ''; ; ) {
    const found = await storedMedia({ after, videoId })
    for (const media of found) {
      const report = await scrubOne(media, { signal, ...(pace && { pace }) })
      for (const figure of ['media', 'objects', 'bytes'] as const) total[figure] += report[figure]
      total.faults.push(...report.faults)
      await onMedia(report)
    }
    const last = found.at(-1)
    if (!last || found.length < PAGE) return total
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
    if (isUnreadable(error)) return { kind: 'changed', bytes: 0 }
    throw error
  }
}
