import type { Tx } from '../../platform/database.ts'

/**
 * Whether the account of a wallet still stands; ask after taking the wallet's lock, which its deletion takes as well. The books outlive
 * accounts: of one that is gone, money is still booked, but there is nobody to tell and no log to write to.
 */
export const accountExists = async (tx: Tx, accountId: string): Promise<boolean> =>
  (await tx.account.count({ where: { id: accountId } })) > 0
