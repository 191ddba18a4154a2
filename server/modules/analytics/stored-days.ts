import { query } from '../../platform/database/database.ts'
import { byRendition, type RenditionSums } from './delivered/delivered-schema.ts'

type Stored = Pick<RenditionSums, 'codec' | 'rendition' | 'stored'>

/** What an account stored in a period, as the mean of its recorded days. Sizes in bytes. */
export interface StoredMean {
  /** Recorded days in the period. */
  days: number
  originals: number
  /** Pictures and captions. */
  others: number
  renditions: Stored[]
}

/** SQL: the current UTC day. */
const TODAY = `(service_now() AT TIME ZONE 'UTC')::date`

const RECORD = `
  WITH due AS (
    SELECT account_id, sum(original_bytes) AS originals, sum(rendition_bytes) AS rest FROM storage_count s
    WHERE NOT EXISTS (SELECT FROM account_stored_day d WHERE d.account_id = s.account_id AND d.day = ${TODAY}) GROUP BY account_id
    HAVING (sum(original_bytes), sum(rendition_bytes)) <> (0, 0)),
  sums AS (
    SELECT m.account_id, r.codec, r.quality AS rendition, sum(r.bytes) AS bytes
    FROM due JOIN media m USING (account_id) JOIN rendition r ON r.media_id = m.id GROUP BY 1, 2, 3
    UNION ALL
    SELECT m.account_id, 'h264', 'iframes', sum(r.bytes)
    FROM due JOIN media m USING (account_id) JOIN iframe_rendition r ON r.media_id = m.id GROUP BY 1
    UNION ALL
    SELECT m.account_id, 'audio', 'audio', sum(r.bytes)
    FROM due JOIN media m USING (account_id) JOIN audio_rendition r ON r.media_id = m.id GROUP BY 1),
  lists AS (
    SELECT account_id, sum(bytes) AS bytes,
      jsonb_agg(jsonb_build_object('codec', codec, 'rendition', rendition, 'bytes', bytes) ORDER BY codec, rendition) AS list
    FROM sums GROUP BY account_id)
  INSERT INTO account_stored_day (account_id, day, original_bytes, other_bytes, renditions)
  SELECT due.account_id, ${TODAY}, greatest(0, due.originals), greatest(0, due.rest - coalesce(lists.bytes, 0)), coalesce(lists.list, '[]')
  FROM due LEFT JOIN lists USING (account_id) ON CONFLICT DO NOTHING`

/** Records once per UTC day what each account stores. Running it again on the same day changes nothing. */
export async function recordStoredDay(): Promise<void> {
  await query('record-stored-day', RECORD, [])
}

// A rendition that is absent from a day's list had no bytes on it.
const MEANS = `
  WITH days AS (SELECT * FROM account_stored_day WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date),
  total AS (SELECT count(*) AS n, avg(original_bytes) AS originals, avg(other_bytes) AS others FROM days),
  sums AS (
    SELECT one ->> 'codec' AS codec, one ->> 'rendition' AS rendition, sum((one ->> 'bytes')::numeric) AS bytes
    FROM days, jsonb_array_elements(renditions) AS one GROUP BY 1, 2)
  SELECT n::int AS days, coalesce(originals, 0)::float8 AS originals, coalesce(others, 0)::float8 AS others, coalesce((
    SELECT jsonb_agg(jsonb_build_object('codec', codec, 'rendition', rendition, 'stored', round(bytes / n))) FROM sums), '[]') AS renditions
  FROM total WHERE n > 0`

/** Returns what an account stored between two UTC days (`YYYY-MM-DD`, both inclusive). Null without a recorded day. */
export async function storedMean(accountId: string, from: string, to: string): Promise<StoredMean | null> {
  const [row] = await query<StoredMean & Record<string, unknown>>('stored-mean', MEANS, [accountId, from, to])
  if (!row) return null
  const { days, originals, others, renditions } = row
  return { days, originals: Math.round(originals), others: Math.round(others), renditions: renditions.sort(byRendition) }
}
