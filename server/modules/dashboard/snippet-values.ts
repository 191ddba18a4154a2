import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { isActiveKey } from '../access/keys/active.ts'

/** What the code of the docs shows a member instead of placeholders. */
export interface SnippetValues {
  /** First characters of the newest working key of each environment. */
  liveKey: string | null
  testKey: string | null
  /** The newest video that plays. */
  videoId: string | null
}

const newestKey = (environment: 'LIVE' | 'TEST') => `
  (SELECT prefix FROM api_key k WHERE account_id = $1 AND environment = '${environment}' AND ${isActiveKey('service_now()')}
    ORDER BY created_at DESC, id LIMIT 1)`

const VALUES = `
  SELECT ${newestKey('LIVE')} AS "liveKey", ${newestKey('TEST')} AS "testKey",
    (SELECT id FROM video WHERE account_id = $1 AND status = 'COMPLETED' AND deleted_at IS NULL
      ORDER BY created_at DESC, id LIMIT 1) AS "videoId"`

/** Returns the prefixes of an account's keys and the id of one of its videos. */
export async function snippetValues(ctx: AccountCtx): Promise<SnippetValues> {
  const [row] = await query<SnippetValues>('snippet-values', VALUES, [ctx.accountId])
  return row as SnippetValues
}
