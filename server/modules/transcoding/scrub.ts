import { createHash } from 'node:crypto'
import { query } from '../../platform/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import { extraKey, pictureKey, segmentKey } from '../videos/media-keys.ts'

/** A stored object whose content is not what its name says. */
export interface Damage {
  videoId: string
  key: string
  kind: 'changed' | 'missing'
}

/** Counts of a run, and the damage found. */
export interface ScrubReport {
  videos: number
  objects: number
  bytes: number
  damaged: Damage[]
}

interface Row {
  id: string
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
  SELECT v.id, v.poster_candidates || ARRAY(SELECT jsonb_array_elements_text(v.storyboard -> 'sheets')) AS pictures,
    array_remove(v.poster_uploaded || ARRAY(SELECT c.name FROM caption c WHERE c.video_id = v.id), NULL) AS extras,
    (SELECT array_agg(s.item ->> 0) FROM rendition r, jsonb_array_elements(r.segments) AS s(item) WHERE r.video_id = v.id) AS segments
  FROM video v WHERE v.status = 'COMPLETED' AND v.id > $1 AND ($2::text IS NULL OR v.id = $2) ORDER BY v.id LIMIT $3`

function objectsOf({ id, segments, pictures, extras }: Row): { name: string; key: string }[] {
  const at = (names: string[] | null, keyOf: typeof segmentKey) => [...new Set(names ?? [])].map((name) => ({ name, key: keyOf(id, name) }))
  return [...at(segments, segmentKey), ...at(pictures, pictureKey), ...at(extras, extraKey)]
}

/**
 * Reads every stored segment, picture and caption of all COMPLETED videos, or of one, and compares its content with its name, which is the beginning of its
 * SHA-256. Calls `onDamage` for each object that differs or is missing. Throws a StorageError when the storage does not respond.
 */
export async function scrubMedia(
  { videoId = null, signal }: { videoId?: string | null; signal: AbortSignal },
  onDamage: (damage: Damage) => Promise<void> | void,
): Promise<ScrubReport> {
  const report: ScrubReport = { videos: 0, objects: 0, bytes: 0, damaged: [] }
  for (let after = ''; ; ) {
    const rows = await query<Row>('scrub-videos', VIDEOS, [after, videoId, PAGE])
    for (const row of rows) {
      const objects = objectsOf(row).values()
      const next = async () => {
        for (const { name, key } of objects) {
          signal.throwIfAborted()
          const { kind, bytes } = await compare(key, name)
          report.objects++
          report.bytes += bytes
          if (!kind) continue
          const damage = { videoId: row.id, key, kind }
          report.damaged.push(damage)
          await onDamage(damage)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, next))
      report.videos++
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return report
    after = last.id
  }
}

async function compare(key: string, name: string): Promise<{ kind?: Damage['kind']; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const part of storage().read(key)) {
      hash.update(part)
      bytes += part.byteLength
    }
  } catch (error) {
    if (isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING') return { kind: 'missing', bytes }
    throw error
  }
  return hash.digest('hex').startsWith(name) ? { bytes } : { kind: 'changed', bytes }
}
