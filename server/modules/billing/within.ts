import { db, type Tx } from '../../platform/database.ts'

/** The caller's transaction where there is one, and the reference that the ledger takes once. */
export interface Within {
  on?: Tx
  reference?: string
}

/** Runs `work` in the caller's transaction, or in one of its own. */
export const inside = <Result>({ on }: Within, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  on ? work(on) : db().$transaction(work)
