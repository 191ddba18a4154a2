import type { AccountCtx } from '../context.ts'
import { query } from '../infra/db.ts'

/** What an account holds, counted now. */
export interface Overview {
  videos: { pending: number; processing: number; completed: number; failed: number }
  /** Working keys. */
  keys: number
  /** Playback tokens issued since UTC midnight, over all keys. */
  tokensToday: number
  /** Playback tokens issued, all time. */
  tokensEver: number
  /** A video that can be played, newest first: for the snippet that issues a first token. */
  playableVideoId: string | null
}

interface Row {
  pending: number
  processing: number
  completed: number
  failed: number
  keys: number
  tokens_today: number
  tokens_ever: number
  playable: string | null
}

/** The account at a glance, by the database's clock. */
export async function overview(ctx: AccountCtx): Promise<Overview> {
  const [row] = await query<Row>('account-overview', OVERVIEW, [ctx.accountId])
  const { pending, processing, completed, failed, keys, tokens_today, tokens_ever, playable } = row as Row
  const videos = { pending, processing, completed, failed }
  return { videos, keys, tokensToday: tokens_today, tokensEver: tokens_ever, playableVideoId: playable }
}

const OVERVIEW = `
  WITH mine AS (SELECT id, status, created_at FROM video WHERE account_id = $1 AND deleted_at IS NULL),
  days AS (SELECT day, issued FROM key_day JOIN api_key ON api_key.id = key_id WHERE account_id = $1)
  SELECT
    (SELECT count(*) FROM mine WHERE status = 'PENDING')::float8 AS pending,
    (SELECT count(*) FROM mine WHERE status = 'PROCESSING')::float8 AS processing,
    (SELECT count(*) FROM mine WHERE status = 'COMPLETED')::float8 AS completed,
    (SELECT count(*) FROM mine WHERE status = 'FAILED')::float8 AS failed,
    (SELECT count(*) FROM api_key WHERE account_id = $1 AND (revoked_at IS NULL OR revoked_at > service_now()))::float8 AS keys,
    (SELECT coalesce(sum(issued), 0) FROM days WHERE day = (service_now() AT TIME ZONE 'UTC')::date)::float8 AS tokens_today,
    (SELECT coalesce(sum(issued), 0) FROM days)::float8 AS tokens_ever,
    (SELECT id FROM mine WHERE status = 'COMPLETED' ORDER BY created_at DESC, id LIMIT 1) AS playable`
