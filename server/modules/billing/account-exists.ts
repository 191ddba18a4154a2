import type { Tx } from '../../platform/database/database.ts'

/**
 * Returns whether the account of a wallet exists and is not deleted. Call it with the wallet's lock held, which the account's deletion takes as well. The
 * ledger outlives accounts: entries for a deleted account are still written, without events and audit records.
 */
export const accountExists = async (tx: Tx, accountId: string): Promise<boolean> =>
  (await tx.account.count({ where: { id: accountId, deletedAt: null } })) > 0
