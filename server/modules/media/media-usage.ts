import { query } from '../../platform/database/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { SOURCES } from '../videos/media-keys.ts'

/** Prefixes of stored media's keys. The storage's marker and the operator's test objects are elsewhere. */
const KINDS = [SOURCES, 'segments/', 'pictures/', 'extras/', 'downloads/', 'uploads/'] as const

/** Objects and bytes of one kind. */
export interface KindUsage {
  kind: string
  stored: { objects: number; bytes: number }
  /** What the database counts. Undefined if it does not count this kind separately. */
  counted: number
}

export interface AccountUsage {
  accountId: string
  name: string
  videos: number
  bytes: number
}

/** Returns the number of unfinished uploads. */
export async function openUploads(): Promise<number> {
  const [row] = await query<{ uploads: number }>('open-uploads', 'SELECT count(*)::int AS uploads FROM upload', [])
  return row?.uploads ?? 0
}

const COUNTED = `
  SELECT coalesce(sum(source_bytes), 0)::float8 AS "sources/", coalesce(sum(rendition_bytes), 0)::float8 AS "segments/",
    coalesce(sum(picture_bytes), 0)::float8 AS "pictures/",
    (SELECT coalesce(sum(caption_bytes + poster_bytes), 0) FROM video)::float8 AS "extras/",
    (SELECT coalesce(sum(bytes), 0) FROM video_download)::float8 AS "downloads/",
    (SELECT coalesce(sum(bytes), 0) FROM multipart_part WHERE etag IS NULL)::float8 AS "uploads/"
  FROM media`

/** Counts what the storage holds by kind, next to what the database counts. Lists all objects. */
export async function usageByKind(): Promise<KindUsage[]> {
  const [counted] = await query<Record<string, number>>('media-counted', COUNTED, [])
  const kinds: KindUsage[] = []
  for (const prefix of KINDS) {
    const stored = { objects: 0, bytes: 0 }
    for await (const { bytes } of storage().listSizes(prefix)) {
      stored.objects++
      stored.bytes += bytes
    }
    kinds.push({ kind: prefix.slice(0, -1), stored, counted: counted?.[prefix] ?? 0 })
  }
  return kinds
}

/** Returns the accounts that store the most, according to the database. */
export const usageByAccount = (count: number) =>
  query<AccountUsage & { [column: string]: unknown }>(
    'media-by-account',
    `SELECT a.id AS "accountId", a.name, sum(s.videos)::int AS videos, sum(s.original_bytes + s.rendition_bytes)::float8 AS bytes
     FROM storage_count s JOIN account a ON a.id = s.account_id GROUP BY a.id ORDER BY bytes DESC, a.id LIMIT $1`,
    [count],
  )
