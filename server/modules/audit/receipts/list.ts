import type { z } from 'zod'
import type { AccountCtx } from '../../../context.ts'
import { pageOf } from '../../../platform/database/cursor.ts'
import { query } from '../../../platform/database/database.ts'
import type { listReceiptsInput } from './schema.ts'
import type { ReceiptKind } from './state.ts'

/** A receipt in the account's list. */
export interface ListedReceipt {
  id: string
  kind: ReceiptKind
  /** ID of the key or video. */
  subject: string
  /** Name of the key or video. Null if it was not kept. */
  title: string | null
  at: Date
  /** False while the removal of a video's media is unverified. */
  ready: boolean
}

const PAGE = 50

/** Returns the account's receipts, newest first, 50 per page. `cursor` is the last ID of the previous page. */
export async function listReceipts(
  ctx: AccountCtx,
  { cursor, subject }: z.output<typeof listReceiptsInput>,
): Promise<{ receipts: ListedReceipt[]; nextCursor: string | null }> {
  const rows = await query<ListedReceipt & { [column: string]: unknown }>('list-receipts', LIST, [
    ctx.accountId,
    cursor ?? null,
    PAGE + 1,
    subject ?? null,
  ])
  const page = pageOf(rows, PAGE, ({ id }) => id)
  return { receipts: page.rows, nextCursor: page.nextCursor }
}

const LIST = `
  WITH own AS (
    SELECT s.id, s.kind, s.key_id AS subject, k.name AS title, s.at, true AS ready
    FROM key_stop s JOIN api_key k ON k.id = s.key_id WHERE s.account_id = $1
    UNION ALL
    SELECT id, kind, subject, title, purged_at, verified_at IS NOT NULL FROM deletion WHERE account_id = $1 AND kind <> 'media.deletion')
  SELECT * FROM own
  WHERE ($2::text IS NULL OR (at, id) < (SELECT at, id FROM own WHERE id = $2)) AND ($4::text IS NULL OR subject = $4) ORDER BY at DESC, id DESC LIMIT $3`
