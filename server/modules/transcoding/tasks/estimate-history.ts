import { query } from '../../../platform/database/database.ts'
import type { EncodingHistory } from './estimate.ts'

/** How many completed videos' measurements predict others. */
const RECENT = 50

/** Returns the measurements of the most recently completed videos. */
export async function readHistory(): Promise<EncodingHistory> {
  const rows = await query<{ rate: number | null; finish: number | null; error: number | null }>('estimate-history', HISTORY, [RECENT])
  const known = (values: (number | null)[]) => values.filter((value) => value !== null)
  return {
    rates: known(rows.map(({ rate }) => rate)),
    finishSec: known(rows.map(({ finish }) => finish)),
    errors: known(rows.map(({ error }) => error)),
  }
}

const HISTORY = `
  SELECT pixels / NULLIF(worker_sec, 0) AS rate, finish_sec AS finish,
    extract(epoch FROM completed_at - planned_at)::float8 / NULLIF(start_sec, 0) AS error
  FROM transcode_estimate WHERE completed_at IS NOT NULL ORDER BY completed_at DESC LIMIT $1`
