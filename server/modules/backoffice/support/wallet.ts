import { db, type Tx } from '../../../platform/database/database.ts'
import { readBalance } from '../../billing/balance.ts'
import { correctBalance, giveCredit } from '../../billing/credit.ts'
import { creditsText } from '../../billing/price-schema.ts'
import type { Balance } from '../../billing/schema.ts'
import type { EntryKind } from '../../billing/state.ts'
import { lockWallet } from '../../identity/accounts/storage.ts'
import { propose, type WaitingChange, type Waits, waitingChanges } from './approvals.ts'
import { openAccount } from './open-account.ts'
import { requireAccount, soloCredits } from './require-account.ts'
import type { AdjustBalanceInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** A line of an account's ledger. Amounts in credits, as decimal strings. */
export interface WalletEntry {
  /** Numbered from 1 in each account. */
  seq: number
  at: Date
  kind: EntryKind
  /** Negative for a debit. */
  amount: string
  balanceBefore: string
  balanceAfter: string
  reason: string | null
  /** For usage: the tokens that a key issued in a UTC hour. */
  tokens: number | null
  keyName: string | null
}

interface SupportWallet {
  balance: Balance
  /** Changes that await another staff member. */
  waiting: WaitingChange[]
  /** The last 50, newest first. */
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
  const entries = rows.map(({ kind, credit, amount: unsigned, balanceAfter, keyId, ...row }) => {
    const amount = credit === 'wallet' ? unsigned : -unsigned
    return {
      ...{ ...row, kind: kind as EntryKind, amount: creditsText(amount) },
      ...{ balanceBefore: creditsText(balanceAfter - amount), balanceAfter: creditsText(balanceAfter) },
      keyName: keyId && (names.get(keyId) ?? null),
    }
  })
  return { balance, waiting, entries }
}

/** The result of an adjustment: the new balance, or the proposal that awaits another staff member. */
type Adjusted = { balance: string } | { waits: Waits }

/**
 * Adds credit to an account, or takes credit back, for a stated reason. Above SUPPORT_SECOND_APPROVAL_CREDITS, together with what support
 * moved without approval in the last 24 hours, it proposes the change instead. Errors: NOT_FOUND; FORBIDDEN for one's own account; CONFLICT
 * when the balance is lower than the amount.
 */
export async function adjustBalance(staff: StaffCtx, { accountId, direction, credits, reason }: AdjustBalanceInput): Promise<Adjusted> {
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    // Serializes concurrent adjustments, so that the second one counts the first.
    await lockWallet(tx, accountId)
    if ((await movedWithoutApproval(tx, accountId)) + credits > soloCredits())
      return { waits: await propose(tx, ctx, staff, { kind: 'balance', credits: direction === 'give' ? credits : -credits }, reason) }
    const moved =
      direction === 'give'
        ? await giveCredit(ctx, { credits, reason }, { on: tx })
        : await correctBalance(ctx, { credits, direction: 'take', reason }, { on: tx })
    return { balance: creditsText(moved.balance) }
  })
}

/**
 * Returns the micro-credits that support moved on the account in the last 24 hours, in either direction, without approved changes, which
 * have a reference.
 */
async function movedWithoutApproval(tx: Tx, accountId: string): Promise<bigint> {
  const [row] = await tx.$queryRaw<[{ moved: bigint }]>`
    SELECT coalesce(sum(amount), 0)::bigint AS moved FROM ledger_entry
    WHERE account_id = ${accountId} AND at > service_clock() - interval '24 hours' AND actor LIKE 'support:%' AND reference IS NULL`
  return row.moved
}
