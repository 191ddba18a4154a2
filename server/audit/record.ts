import type { ActionName } from '../actions.ts'
import { type AccountCtx, actorName } from '../context.ts'
import type { Tx } from '../infra/db.ts'

type Snapshot = { readonly [field: string]: string | number | boolean | null | readonly string[] }

/** One change. `action` stands in the table of server/actions.ts, `subject` the id it was done to; snapshots hold only the fields that matter. */
export interface Change {
  action: ActionName
  subject: string
  before?: Snapshot
  after?: Snapshot
}

/**
 * Writes the audit row of a change in the transaction that makes it, so that neither exists without the other.
 * Snapshots never hold a secret: no key value, no password, no hash.
 */
export async function record(tx: Tx, ctx: Pick<AccountCtx, 'accountId' | 'actor'>, change: Change): Promise<void> {
  const { actor } = ctx
  const actorEmail = 'email' in actor ? actor.email : null
  await tx.auditEntry.create({ data: { accountId: ctx.accountId, actor: actorName(actor), actorEmail, ...change } })
}
