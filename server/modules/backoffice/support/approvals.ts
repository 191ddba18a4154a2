import type { AccountCtx } from '../../../context.ts'
import type { LimitName } from '../../../limits.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import type { Prisma } from '../../../platform/prisma/client.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { creditsText } from '../../billing/price-schema.ts'
import { recordViews } from './open-account.ts'
import { APPROVAL_DAYS } from './schema.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** A proposed change as the pages show it: of a balance in credits, signed, with the balance now and after it. */
export type ShownChange = { kind: 'balance'; credits: string; before: string; after: string } | Exclude<Proposed, { kind: 'balance' }>

/** A change that awaits the approval of another staff member. */
export interface WaitingChange {
  id: string
  change: ShownChange
  reason: string
  proposedEmail: string
  createdAt: Date
  expiresAt: Date
}

/** A waiting change in the list of all accounts. */
export interface WaitingApproval extends WaitingChange {
  accountId: string
  accountName: string
  /** Why the viewer may not approve or decline it; null when they may. */
  barred: 'proposer' | 'member' | null
}

type Stored<Shown> = Omit<Shown, 'change'> & { credits: string; balance: string; change: unknown; [column: string]: unknown }

function shown<Shown extends WaitingChange>({ credits, balance, change: stored, ...row }: Stored<Shown>): Shown {
  const change = changeOf({ credits: BigInt(credits), change: stored })
  const after = creditsText(BigInt(balance) + BigInt(credits))
  const moved = change.kind === 'balance' && { kind: 'balance', ...factsOf(change), before: creditsText(BigInt(balance)), after }
  return { ...row, change: moved || change } as unknown as Shown
}

/** What waits for a decision of staff, in all accounts. */
export interface PendingCounts {
  approvals: number
  quotaRequests: number
}

/** Counts what waits for a decision of staff. Shows nothing of an account, and so records no view. Errors: as `requireCurrentStaff`. */
export async function pendingCounts(staff: StaffCtx): Promise<PendingCounts> {
  await requireCurrentStaff(db(), staff)
  const [row] = await query<PendingCounts & { [column: string]: unknown }>('support-pending', COUNTS, [])
  return row as PendingCounts
}

const COUNTS = `
  SELECT (SELECT count(*) FROM support_approval WHERE status = 'PENDING' AND expires_at > service_now())::int AS approvals,
    (SELECT count(*) FROM quota_request WHERE status = 'OPEN')::int AS "quotaRequests"`

/** Returns the 200 oldest pending proposals, oldest first. Records the view in the audit log of each account. */
export async function waitingApprovals(staff: StaffCtx): Promise<WaitingApproval[]> {
  await requireCurrentStaff(db(), staff)
  const rows = await query<Stored<WaitingApproval>>('waiting-approvals', WAITING, [staff.staff.userId])
  await recordViews(
    staff,
    rows.map(({ accountId }) => accountId),
    'approvals',
  )
  return rows.map((row) => shown<WaitingApproval>(row))
}

/** Returns the pending proposals of one account, oldest first. The caller has checked that staff may read the account. */
export async function waitingChanges({ accountId }: Pick<AccountCtx, 'accountId'>): Promise<WaitingChange[]> {
  const rows = await query<Stored<WaitingChange>>('waiting-changes', OF_ACCOUNT, [accountId])
  return rows.map((row) => shown<WaitingChange>(row))
}

const OF_ACCOUNT = `
  SELECT p.id, p.credits::text AS credits, w.balance::text AS balance, p.change, p.reason, p.proposed_email AS "proposedEmail",
    p.created_at AS "createdAt", p.expires_at AS "expiresAt"
  FROM support_approval p JOIN wallet w USING (account_id)
  WHERE p.account_id = $1 AND p.status = 'PENDING' AND p.expires_at > service_now() ORDER BY p.created_at, p.id`

const WAITING = `
  SELECT p.id, p.account_id AS "accountId", a.name AS "accountName", p.credits::text AS credits, w.balance::text AS balance, p.change, p.reason,
    p.proposed_email AS "proposedEmail", p.created_at AS "createdAt", p.expires_at AS "expiresAt",
    CASE WHEN p.proposed_by = $1 THEN 'proposer'
      WHEN EXISTS (SELECT 1 FROM membership m WHERE m.account_id = p.account_id AND m.user_id = $1) THEN 'member' END AS barred
  FROM support_approval p JOIN account a ON a.id = p.account_id JOIN wallet w ON w.account_id = p.account_id
  WHERE p.status = 'PENDING' AND p.expires_at > service_now() ORDER BY p.created_at, p.id LIMIT 200`

/** A change that one staff member may not make alone. `expected` is the value that it replaces. */
export type Proposed =
  | { kind: 'balance'; credits: bigint }
  | { kind: 'quota'; keyId: string; keyName: string; dailyQuota: number; expected: number | null }
  | { kind: 'quota-request'; requestId: string; keyName: string; dailyQuota: number }
  | { kind: 'limit'; name: LimitName; value: number; expected: number | null }
  | { kind: 'tier'; tier: 'PAID'; expected: 'FREE' }

/** A proposal that awaits another staff member, and when it expires. */
export interface Waits {
  approvalId: string
  expiresAt: Date
}

/** Stores and records a proposal for another staff member, in the transaction that found it beyond the bounds. */
export async function propose(tx: Tx, ctx: AccountCtx, { staff }: StaffCtx, change: Proposed, reason: string): Promise<Waits> {
  const id = newId('apr')
  const [credits, stored] = change.kind === 'balance' ? [change.credits, null] : [0n, change]
  const [row] = await tx.$queryRaw<[{ expiresAt: Date }]>`
    INSERT INTO support_approval (id, account_id, credits, change, reason, proposed_by, proposed_email, created_at, expires_at)
    VALUES (${id}, ${ctx.accountId}, ${credits}, ${stored as Prisma.JsonObject | null}::jsonb, ${reason}, ${staff.userId}, ${staff.email}, service_now(),
      service_now() + make_interval(days => ${APPROVAL_DAYS})) RETURNING expires_at AS "expiresAt"`
  await record(tx, ctx, { action: 'support.proposal', subject: id, after: { ...factsOf(change), reason } })
  return { approvalId: id, expiresAt: row.expiresAt }
}

/** Returns what the audit log says about a proposed change. */
export const factsOf = (change: Proposed) => (change.kind === 'balance' ? { credits: creditsText(change.credits) } : change)

/** Returns the change of a row of `support_approval`. */
export const changeOf = ({ credits, change }: { credits: bigint; change: unknown }): Proposed =>
  (change as Proposed | null) ?? { kind: 'balance', credits }
