import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { creditsText } from './price-schema.ts'
import type { LedgerInput } from './schema.ts'
import type { EntryKind } from './state.ts'

/** A ledger entry. Amounts in credits, as decimal strings. */
export interface LedgerLine {
  /** Numbered from 1 in each account. */
  seq: number
  at: Date
  kind: EntryKind
  /** Negative for a debit of the wallet. */
  amount: string
  balanceAfter: string
  /** Set for usage: the key, the UTC hour and the number of tokens. */
  keyId: string | null
  keyName: string | null
  hour: Date | null
  tokens: number | null
  reason: string | null
  hash: string
}

const PAGE = 20

/** Lists the account's ledger, newest entry first, in pages of `PAGE`. `cursor` is the last `seq` of the previous page. */
export async function listLedger(
  ctx: AccountCtx,
  { cursor, limit = PAGE }: LedgerInput & { limit?: number },
  on = db(),
): Promise<{ lines: LedgerLine[]; next: number | null }> {
  const rows = await on.ledgerEntry.findMany({
    where: { accountId: ctx.accountId, ...(cursor !== undefined && { seq: { lt: cursor } }) },
    orderBy: { seq: 'desc' },
    take: limit + 1,
  })
  const shown = rows.slice(0, limit)
  const keyIds = [...new Set(shown.flatMap(({ keyId }) => keyId ?? []))]
  const keys = await on.apiKey.findMany({ where: { accountId: ctx.accountId, id: { in: keyIds } }, select: { id: true, name: true } })
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  const lines = shown.map(({ seq, at, kind, credit, amount, balanceAfter, keyId, hour, tokens, reason, hash }) => ({
    ...{ seq, at, kind: kind as EntryKind, keyId, hour, tokens, reason },
    amount: creditsText(credit === 'wallet' ? amount : -amount),
    balanceAfter: creditsText(balanceAfter),
    keyName: keyId && (names.get(keyId) ?? null),
    hash: Buffer.from(hash).toString('hex'),
  }))
  return { lines, next: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null }
}
