import { db, type Tx } from '../../platform/database/database.ts'
import { lockWallet } from '../identity/accounts/storage.ts'
import { emit } from '../webhooks/endpoints/emit.ts'
import { post, type WalletMovement } from './post.ts'
import { creditsText } from './price-schema.ts'

export interface AppliedTransaction {
  seq: number
  /** Balance after the movement, in micro-credits. */
  balance: bigint
  previousBalance: bigint
  at: Date
  /** Whether the account exists. A deleted one has neither events nor an audit log. */
  exists: boolean
}

/**
 * Adds credit to the wallet or subtracts it, with the ledger entry and the events, in the caller's transaction. Undefined if the balance is
 * too low: it is never negative. The ledger accepts each reference once.
 */
export async function applyWalletTransaction(tx: Tx, accountId: string, movement: WalletMovement): Promise<AppliedTransaction | undefined> {
  const wallet = await lockWallet(tx, accountId)
  const { amount } = movement
  const previousBalance = wallet.balance
  const balance = previousBalance + amount
  if (balance < 0n) return undefined
  const [seq] = (await post(tx, wallet, [movement], balance)) as [number]
  const moved = { seq, balance, previousBalance, at: wallet.now, exists: await accountExists(tx, accountId) }
  if (!moved.exists) return moved
  const balances = { balance: creditsText(balance), previousBalance: creditsText(previousBalance) }
  if (movement.kind === 'top_up' || movement.kind === 'credit') {
    await emit(tx, accountId, 'wallet.refilled', { ...balances, credits: creditsText(amount) }, { dedupeKey: `${accountId}:${seq}` })
  }
  const threshold = wallet.lowBalanceThreshold
  if (threshold !== null && previousBalance >= threshold && balance < threshold) {
    await emit(tx, accountId, 'wallet.low_balance', { ...balances, threshold: creditsText(threshold) })
  }
  return moved
}

/** The caller's transaction, if any, and the unique reference of the ledger entry. */
export interface TransactionScope {
  on?: Tx
  reference?: string
}

/** Runs `work` in the caller's transaction, or in a new one. */
export const inTransaction = <Result>({ on }: TransactionScope, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  on ? work(on) : db().$transaction(work)

/**
 * Returns whether a wallet's account exists and is not deleted. Call it while holding the wallet's lock, which the account's deletion takes
 * as well. The ledger outlives accounts: entries for a deleted account are still written, without events and audit records.
 */
export const accountExists = async (tx: Tx, accountId: string): Promise<boolean> =>
  (await tx.account.count({ where: { id: accountId, deletedAt: null } })) > 0
