import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { creditsText } from './price-schema.ts'

/** A UTC month with movements of the wallet. Amounts in credits. */
export interface BilledMonth {
  /** `YYYY-MM`. */
  month: string
  tokens: number
  used: string
  added: string
}

/** Lists the months that have a statement, the newest first, at most 120. */
export async function billedMonths(ctx: AccountCtx): Promise<BilledMonth[]> {
  const rows = await query<{ month: string; tokens: number; used: string; added: string }>('billed-months', MONTHS, [ctx.accountId])
  return rows.map(({ month, tokens, used, added }) => ({
    month,
    tokens,
    used: creditsText(BigInt(used)),
    added: creditsText(BigInt(added)),
  }))
}

const MONTHS = `
  SELECT month, sum(tokens)::int AS tokens, sum(used) AS used, sum(added) AS added FROM (
    SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM') AS month, tokens, cost AS used, 0 AS added FROM charge_hour WHERE account_id = $1
    UNION ALL
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM'), 0, 0, CASE WHEN credit = 'wallet' THEN amount ELSE -amount END
    FROM ledger_entry WHERE account_id = $1 AND kind <> 'usage') moved
  GROUP BY month ORDER BY month DESC LIMIT 120`
