import type { StoredSums } from '../modules/identity/accounts/storage.ts'
import { query } from '../platform/database/database.ts'

/** Returns what one account stores, or all of them, counted from videos, renditions, texts of captions and uploads. */
export async function recount(accountId?: string): Promise<StoredSums> {
  const [row] = await query<StoredSums & Record<string, number>>('test-recount', RECOUNT, [accountId ?? null])
  return row as StoredSums
}

const RECOUNT = `
  WITH mine AS (SELECT * FROM video WHERE $1::text IS NULL OR account_id = $1),
  encoded AS (SELECT * FROM media WHERE $1::text IS NULL OR account_id = $1),
  begun AS (SELECT * FROM upload WHERE $1::text IS NULL OR account_id = $1),
  texts AS (SELECT video_id, name, bytes FROM caption UNION SELECT video_id, name, bytes FROM caption_version
    UNION SELECT video_id, name, bytes FROM caption_draft),
  counted AS (SELECT
    (SELECT coalesce(sum(source_bytes), 0) FROM encoded)::float8 AS original,
    ((SELECT coalesce(sum(poster_bytes), 0) FROM mine) + (SELECT coalesce(sum(picture_bytes), 0) FROM encoded)
      + (SELECT coalesce(sum(bytes), 0) FROM rendition WHERE media_id IN (SELECT id FROM encoded))
      + (SELECT coalesce(sum(bytes), 0) FROM audio_rendition WHERE media_id IN (SELECT id FROM encoded))
      + (SELECT coalesce(sum(bytes), 0) FROM iframe_rendition WHERE media_id IN (SELECT id FROM encoded))
      + (SELECT coalesce(sum(bytes), 0) FROM texts WHERE video_id IN (SELECT id FROM mine)))::float8 AS renditions,
    (SELECT coalesce(sum(bytes), 0) FROM begun)::float8 AS unfinished,
    (SELECT count(*) FROM mine)::float8 AS videos, (SELECT count(*) FROM begun)::float8 AS uploads)
  SELECT original AS "originalBytes", renditions AS "renditionBytes", unfinished AS "unfinishedBytes",
    original + renditions + unfinished AS "totalBytes", videos, uploads FROM counted`
