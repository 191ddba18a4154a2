import { db } from '../../../platform/database/database.ts'
import { readBalance } from '../../billing/balance.ts'
import { creditsText } from '../../billing/price-schema.ts'
import type { Balance } from '../../billing/schema.ts'
import type { EntryKind } from '../../billing/state.ts'
import { type WaitingChange, waitingChanges } from './approvals.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

/** A line of an account's ledger. Amounts in credits, as decimal strings. */
export interface WalletEntry {
  /** Numbered from 1 in each account. */
  seq: number
  at: Date
  kind: EntryKind
  /** Negative for debits of the wallet. */
  amount: string
  balanceAfter: string
  reason: string | null
  /** Tokens of a usage entry, of a key in a UTC hour. */
  tokens: number | null
  keyName: string | null
}

export interface SupportWallet {
  balance: Balance
  /** Changes of the balance that await a second member of staff. */
  waiting: WaitingChange[]
  /** The last 50, the newest first. */
  entries: WalletEntry[]
}

const MOST = 50

/** Returns an account's balance and the latest entries of its ledger. Errors: NOT_FOUND. */
export async function supportWallet(staff: StaffCtx, { accountId }: { accountId: string }): Promise<SupportWallet> {
  const ctx = await openAccount(staff, { accountId, page: 'billing' })
  const [balance, waiting, rows, keys] = await Promise.all([
    readBalance(ctx),
    waitingChanges(ctx),
    db().ledgerEntry.findMany({
      where: { accountId: ctx.accountId },
      orderBy: { seq: 'desc' },
      take: MOST,
      select: { seq: true, at: true, kind: true, credit: true, amount: true, balanceAfter: true, reason: true, tokens: true, keyId: true },
    }),
    db().apiKey.findMany({ where: { accountId: ctx.accountId }, select: { id: true, name: true } }),
  ])
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  const entries = rows.map(({ kind, credit, amount, balanceAfter, keyId, ...row }) => ({
    ...row,
    kind: kind as EntryKind,
    amount: creditsText(credit === 'wallet' ? amount : -amount),
    balanceAfter: creditsText(balanceAfter),
    keyName: keyId && (names.get(keyId) ?? null),
  }))
  return { balance, waiting, entries }
}
