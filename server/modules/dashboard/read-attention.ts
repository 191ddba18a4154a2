import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { readBalance } from '../billing/balance.ts'
import type { Balance } from '../billing/schema.ts'
import { type Attention, attention } from './attention.ts'
import { type ListedKey, listKeys } from './list-keys.ts'

/** What the caller reads as well. */
interface Given {
  keys?: Promise<ListedKey[]>
  wallet?: Promise<Balance>
}

/** Returns what needs attention in an account, the most urgent first. */
export async function readAttention(
  ctx: AccountCtx,
  { keys = listKeys(ctx), wallet = readBalance(ctx) }: Given = {},
): Promise<Attention[]> {
  const [failed, endpoints, ofKeys, ofWallet] = await Promise.all([
    query<{ id: string; title: string; failures: number }>('account-failed', FAILED, [ctx.accountId]),
    query<{ id: string; url: string; disabled: boolean; retrying: boolean }>('account-webhooks-failing', WEBHOOKS, [ctx.accountId]),
    keys,
    wallet,
  ])
  return attention({ failures: failed[0]?.failures ?? 0, failed, keys: ofKeys, endpoints, wallet: ofWallet })
}

const FAILED = `
  SELECT id, title, count(*) OVER ()::float8 AS failures FROM video WHERE account_id = $1 AND status = 'FAILED' AND deleted_at IS NULL ORDER BY created_at DESC, id LIMIT 3`

const WEBHOOKS = `
  SELECT id, url, disabled_at IS NOT NULL AS disabled,
    EXISTS (SELECT 1 FROM webhook_queue q WHERE q.endpoint_id = webhook_endpoint.id) AS retrying FROM webhook_endpoint
  WHERE account_id = $1 AND (disabled_at IS NULL AND failing_since IS NOT NULL OR disabled_reason IN ('failing', 'gone'))
  ORDER BY coalesce(disabled_at, failing_since) DESC, id LIMIT 3`
