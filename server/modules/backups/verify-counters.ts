import { query } from '../../platform/database/database.ts'

/**
 * Compares what the database counts with the rows that it counts: stored bytes and videos of each account, and the tokens charged for with
 * the tokens issued by each key. Costs are compared with the ledger elsewhere (billing/verify-ledger.ts). Returns one line for each fault.
 */
export async function verifyCounters(): Promise<string[]> {
  const stored = await query<{ id: string }>('verify-stored', STORED, [])
  const charged = await query<{ id: string; charged: string; issued: string }>('verify-charged', CHARGED, [])
  return [
    ...stored.map(({ id }) => `the stored bytes or videos counted for ${id} are not those of its rows`),
    ...charged.map(({ id, charged, issued }) => `${charged} tokens of ${id} were charged, and ${issued} were issued`),
  ]
}

const STORED = `
  WITH counted AS (
    SELECT account_id AS id, sum(videos) AS videos, sum(original_bytes) AS original, sum(rendition_bytes) AS renditions, sum(uploads) AS uploads,
      sum(unfinished_bytes) AS unfinished
    FROM storage_count GROUP BY account_id),
  owned AS (
    SELECT id, sum(videos) AS videos, sum(original) AS original, sum(renditions) AS renditions FROM (
      SELECT account_id AS id, 1 AS videos, 0 AS original, caption_bytes + poster_bytes AS renditions FROM video
      UNION ALL SELECT account_id, 0, source_bytes, rendition_bytes + picture_bytes FROM media) AS one
    GROUP BY id),
  begun AS (SELECT account_id AS id, count(*) AS uploads, sum(bytes) AS unfinished FROM upload GROUP BY account_id)
  SELECT id FROM account LEFT JOIN counted USING (id) LEFT JOIN owned USING (id) LEFT JOIN begun USING (id)
  WHERE (coalesce(counted.videos, 0), coalesce(counted.original, 0), coalesce(counted.renditions, 0), coalesce(counted.uploads, 0),
      coalesce(counted.unfinished, 0))
    <> (coalesce(owned.videos, 0), coalesce(owned.original, 0), coalesce(owned.renditions, 0), coalesce(begun.uploads, 0), coalesce(begun.unfinished, 0))
  ORDER BY id`

const CHARGED = `
  WITH hours AS (SELECT key_id, sum(tokens) AS charged FROM charge_hour GROUP BY key_id)
  SELECT k.id, h.charged::text, coalesce(sum(d.issued), 0)::text AS issued
  FROM hours h JOIN api_key k ON k.id = h.key_id LEFT JOIN key_day d ON d.key_id = k.id
  GROUP BY k.id, h.charged HAVING h.charged > coalesce(sum(d.issued), 0) ORDER BY k.id`
