import type { ActionName } from '../../audit-actions.ts'
import { type AccountCtx, actorName } from '../../context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { securityEvent } from '../../security-events.ts'
import { requireAuditSpace } from './require-space.ts'
import { securityLine } from './security-line.ts'
import { shorten } from './shorten.ts'

export type Snapshot = { readonly [field: string]: string | number | boolean | null | readonly string[] }

/**
 * One change. `action` is listed in server/audit-actions.ts, `subject` is the id of the changed object; snapshots hold only the relevant
 * fields.
 */
export interface Change {
  action: ActionName
  subject: string
  before?: Snapshot
  after?: Snapshot
}

type Who = Pick<AccountCtx, 'accountId' | 'actor'> & Partial<Pick<AccountCtx, 'requestId' | 'address'>>

/**
 * Writes the audit row of a change in the same transaction, so that neither exists without the other, and a line in the security log where
 * `SECURITY_EVENTS` lists it. Snapshots never hold a secret: no key value, no password, no hash. Errors: TOO_MANY_ATTEMPTS for an action of
 * `REFUSED_AT` while the log of the account has no room for it.
 */
export async function record(tx: Tx, ctx: Who, change: Change): Promise<void> {
  await requireAuditSpace(tx, ctx, change.action)
  await insertEntry(tx, ctx, change)
  if (securityEvent(change.action)?.about !== 'account') return
  const { accountId, actor, requestId, address } = ctx
  securityLine(change.action, { remote: address }, { accountId, actor: actorName(actor), subject: change.subject, requestId })
}

/** Writes the audit row alone; for `recordSecurity`, which writes one line for several accounts. */
export async function insertEntry(tx: Tx, ctx: Pick<AccountCtx, 'accountId' | 'actor'>, change: Change): Promise<void> {
  const { actor } = ctx
  const actorEmail = 'email' in actor ? actor.email : null
  const { action, subject, before, after } = change
  const snapshots = { ...(before && { before: shorten(before) }), ...(after && { after: shorten(after) }) }
  await tx.auditEntry.create({ data: { accountId: ctx.accountId, actor: actorName(actor), actorEmail, action, subject, ...snapshots } })
}
