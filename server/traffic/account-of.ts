import { query } from '../infra/db.ts'

/** Whose call it was, by its request id or by the id of the token it was about: for support staff. Undefined when the log has none. */
export async function accountOfRequest(id: string): Promise<{ accountId: string; requestId: string } | undefined> {
  const [row] = await query<{ accountId: string; requestId: string }>(
    'account-of-request',
    `SELECT account_id AS "accountId", id AS "requestId" FROM request_log WHERE id = $1 OR token_id = $1 ORDER BY at DESC LIMIT 1`,
    [id],
  )
  return row
}
