import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { creditsText } from './price-schema.ts'
import type { Balance } from './schema.ts'

interface Row {
  balance: string
  tier: Balance['tier']
  threshold: string | null
  updated_at: Date
}

/** Returns the account's balance, with all tokens issued so far deducted (specification §4.5). */
export async function readBalance(ctx: AccountCtx): Promise<Balance> {
  const [row] = await query<Row>(
    'balance',
    `SELECT w.balance, w.low_balance_threshold AS threshold, w.updated_at, a.tier
     FROM wallet w JOIN account a ON a.id = w.account_id WHERE w.account_id = $1`,
    [ctx.accountId],
  )
  const { balance, tier, threshold, updated_at } = row as Row
  return {
    balance: creditsText(BigInt(balance)),
    unit: 'credit',
    tier,
    lowBalanceThreshold: threshold === null ? null : creditsText(BigInt(threshold)),
    updatedAt: updated_at.toISOString(),
  }
}
