import { db, type Tx } from '../../platform/database/database.ts'

/** The caller's transaction, if any, and the unique reference of the ledger entry. */
export interface TransactionScope {
  on?: Tx
  reference?: string
}

/** Runs `work` in the caller's transaction, or in a new one. */
export const inTransaction = <Result>({ on }: TransactionScope, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  on ? work(on) : db().$transaction(work)
