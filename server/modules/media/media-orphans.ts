import { query } from '../../platform/database/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import type { ListedObject } from '../../platform/storage/storage-port.ts'
import { SOURCES } from '../videos/media-keys.ts'

/** Objects looked up at a time. */
const BATCH = 1_000
const PIECES = 'uploads/'

/** Prefixes of media keys. The storage's marker and the operator's test objects are elsewhere. */
const PREFIXES = [SOURCES, 'segments/', 'pictures/', 'extras/', 'downloads/', PIECES]

/**
 * Yields objects that no database row refers to and that were stored more than `graceMs` ago. Skips videos that are waiting or being
 * encoded, were completed or repaired within that time, or are being repaired: workers write objects before their rows, and viewers hold
 * lists from before a repair.
 */
export async function* mediaOrphans({ graceMs, signal }: { graceMs: number; signal: AbortSignal }): AsyncGenerator<ListedObject> {
  const before = Date.now() - graceMs
  for (const prefix of PREFIXES) {
    let batch: ListedObject[] = []
    for await (const object of storage().listSizes(prefix)) {
      signal.throwIfAborted()
      if (object.storedAt.getTime() > before || batch.push(object) < BATCH) continue
      yield* await orphansOf(batch, graceMs)
      batch = []
    }
    yield* await orphansOf(batch, graceMs)
  }
}

async function orphansOf(objects: ListedObject[], graceMs: number): Promise<ListedObject[]> {
  // Reads the rows after the list: what a row now refers to is not an orphan, and listed names are never reused.
  const owners = [...new Set(objects.map(({ key }) => ownerOf(key)))]
  const rows = await query<Owner>('owners-of-media', OWNERS, [owners, graceMs / 1_000])
  const keysOf = new Map<string, Set<string> | undefined>()
  for (const [id, named] of Map.groupBy(rows, (row) => row.id))
    keysOf.set(id, named.some(({ isOpen }) => isOpen) ? undefined : new Set(named.flatMap(({ keys }) => keys ?? [])))
  return objects.filter(({ key }) => {
    const owner = ownerOf(key)
    if (!keysOf.has(owner)) return true
    const keys = keysOf.get(owner)
    return keys !== undefined && !key.startsWith(SOURCES) && !key.startsWith(PIECES) && !keys.has(key)
  })
}

/** Returns the ID of the media, video or unfinished upload that an object belongs to. */
const ownerOf = (key: string): string => key.split('/')[1] as string

interface Owner {
  id: string
  isOpen: boolean | null
  keys: string[] | null
  [column: string]: unknown
}

const OWNERS = `
  WITH recent AS (SELECT service_clock() - make_interval(secs => $2) AS since)
  SELECT m.id,
    m.status IN ('PENDING', 'PROCESSING') OR m.completed_at > since OR EXISTS (SELECT FROM transcode_queue q WHERE q.media_id = m.id)
      OR EXISTS (SELECT FROM media_fault f WHERE f.media_id = m.id AND f.due_at IS NOT NULL)
      OR EXISTS (SELECT FROM video_log l WHERE l.video_id = m.video_id AND l.step = 'store' AND l.at > since) AS "isOpen",
    ARRAY(SELECT 'segments/' || m.id || '/' || (s.item ->> 0) || CASE WHEN s.item ->> 0 LIKE '%.m4s' THEN '' ELSE '.ts' END
        FROM segment_list r, jsonb_array_elements(r.segments) AS s(item) WHERE r.media_id = m.id)
      || ARRAY(SELECT 'pictures/' || m.id || '/' || name FROM unnest(m.poster_candidates) AS name)
      || ARRAY(SELECT 'pictures/' || m.id || '/' || name FROM jsonb_array_elements_text(m.storyboard -> 'sheets') AS name)
      || ARRAY(SELECT 'downloads/' || d.media_id || '/' || d.name || '.mp4' FROM video_download d
        WHERE d.video_id = m.video_id AND d.media_id = m.id AND d.name IS NOT NULL) AS keys
  FROM recent, media m WHERE m.id = ANY ($1)
  UNION ALL
  SELECT v.id, EXISTS (SELECT FROM video_log l WHERE l.video_id = v.id AND l.step = 'store' AND l.at > since),
    ARRAY(SELECT 'extras/' || v.id || '/' || t.name FROM caption_text t WHERE t.video_id = v.id)
      || ARRAY(SELECT 'extras/' || v.id || '/' || v.poster_uploaded WHERE v.poster_uploaded IS NOT NULL)
  FROM recent, video v WHERE v.id = ANY ($1)
  UNION ALL SELECT id, true, NULL FROM multipart_upload WHERE id = ANY ($1)
  UNION ALL SELECT metadata ->> 'videoId', true, NULL FROM multipart_upload u
    WHERE metadata ->> 'videoId' = ANY ($1) AND NOT EXISTS (SELECT FROM media m WHERE m.id = u.metadata ->> 'videoId')
  UNION ALL SELECT owner, true, NULL FROM deletion, unnest(media_ids || subject) AS owner
    WHERE kind <> 'account.deletion' AND verified_at IS NULL AND owner = ANY ($1)`
