import type { Tx } from '../../platform/database/database.ts'
import type { LockedWallet } from '../identity/accounts/storage.ts'
import { type ChainedEntry, hashOf, signedAmount } from './chain.ts'
import { ENTRY_KINDS, type EntryKind } from './state.ts'

/** A movement of the wallet to post to the ledger. */
export interface WalletMovement {
  kind: EntryKind
  /** Signed micro-credits. Positive credits the wallet, negative debits it. */
  amount: bigint
  actor: string
  keyId?: string
  hour?: Date
  tokens?: number
  reference?: string
  reason?: string
}

/**
 * Appends entries to the account's ledger in order, each chained to the previous one, and updates the wallet's posted sum. The only writer
 * of the ledger. `balance` is the new balance. Undefined keeps it, for usage, which was deducted when issued. Returns the entries' numbers.
 */
export async function post(tx: Tx, wallet: LockedWallet, movements: WalletMovement[], balance?: bigint): Promise<number[]> {
  const entries: (ChainedEntry & { hash: string })[] = []
  for (const movement of movements) {
    const previous = entries.at(-1)
    const against = ENTRY_KINDS[movement.kind].against
    const [debit, credit] = movement.amount > 0n ? [against, 'wallet'] : ['wallet', against]
    const amount = String(movement.amount > 0n ? movement.amount : -movement.amount)
    const entry: ChainedEntry = {
      accountId: wallet.accountId,
      seq: wallet.entries + entries.length + 1,
      kind: movement.kind,
      debit,
      credit,
      amount,
      balanceAfter: String((previous ? BigInt(previous.balanceAfter) : wallet.posted) + signedAmount({ credit, amount })),
      keyId: movement.keyId ?? null,
      hour: movement.hour?.toISOString() ?? null,
      tokens: movement.tokens ?? null,
      reference: movement.reference ?? null,
      reason: movement.reason ?? null,
      actor: movement.actor,
      at: wallet.now.toISOString(),
      previous: previous?.hash ?? wallet.head,
    }
    entries.push({ ...entry, hash: hashOf(entry) })
  }
  const last = entries.at(-1)
  if (!last) return []
  await tx.ledgerEntry.createMany({
    data: entries.map(({ amount, balanceAfter, previous, hash, ...entry }) => ({
      ...entry,
      amount: BigInt(amount),
      balanceAfter: BigInt(balanceAfter),
      previous: Buffer.from(previous, 'hex'),
      hash: Buffer.from(hash, 'hex'),
    })),
  })
  await tx.wallet.update({
    where: { accountId: wallet.accountId },
    data: {
      posted: BigInt(last.balanceAfter),
      entries: last.seq,
      head: Buffer.from(last.hash, 'hex'),
      ...(balance !== undefined && { balance, updatedAt: wallet.now }),
    },
  })
  return entries.map(({ seq }) => seq)
}
