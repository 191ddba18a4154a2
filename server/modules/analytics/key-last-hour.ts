import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { query } from '../../platform/database/database.ts'

/** The successful requests of a key in the last hour. */
export interface KeyLastHour {
  /** Successful requests in the last 60 minutes; an estimate when the request log holds a sample. */
  requests: number
  /** Playback tokens among them. */
  tokens: number
}

/** Returns a key's use in the last hour, for the confirmation before it is disabled. Errors: NOT_FOUND, also for another account's key. */
export async function keyLastHour(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<KeyLastHour> {
  const [row] = await query<KeyLastHour>(
    'key-last-hour',
    `SELECT COALESCE(round(sum(r.weight)), 0)::float8 AS requests,
       COALESCE(round(sum(r.weight) FILTER (WHERE r.operation = 'createPlaybackToken')), 0)::float8 AS tokens
     FROM api_key LEFT JOIN request_log r ON r.account_id = api_key.account_id AND r.key_id = api_key.id AND r.status < 400
       AND r.at > service_now() - interval '1 hour'
     WHERE api_key.id = $1 AND api_key.account_id = $2 GROUP BY api_key.id`,
    [keyId, ctx.accountId],
  )
  if (!row) throw new ServiceError('NOT_FOUND', { message: 'No such key exists in your account.' })
  return row
}
