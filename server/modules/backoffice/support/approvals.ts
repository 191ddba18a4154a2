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

/** A proposed change as the pages show it: of a balance in credits, signed. */
export type ShownChange = { kind: 'balance'; credits: string } | Exclude<Proposed, { kind: 'balance' }>

/** A change that awaits another member of staff. */
export interface WaitingChange {
  id: string
  change: ShownChange
  reason: string
  proposedEmail: string
  createdAt: Date
  expiresAt: Date
}

/** Such a change in the list of all accounts. */
export interface WaitingApproval extends WaitingChange {
  accountId: string
  accountName: string
  /** Why the viewer may not decide on it; null when they may. */
  barred: 'proposer' | 'member' | null
}

type Stored<Shown> = Omit<Shown, 'change'> & { credits: string; change: unknown; [column: string]: unknown }

function shown<Shown extends WaitingChange>({ credits, change: stored, ...row }: Stored<Shown>): Shown {
  const change = changeOf({ credits: BigInt(credits), change: stored })
  return { ...row, change: change.kind === 'balance' ? { kind: 'balance', ...factsOf(change) } : change } as unknown as Shown
}

/** Returns the proposals that await a decision, the oldest first; at most 200. Records the view in the audit log of each account. */
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

/** Returns the proposals of one account that await a decision, the oldest first. The caller has checked that staff may read the account. */
export async function waitingChanges({ accountId }: Pick<AccountCtx, 'accountId'>): Promise<WaitingChange[]> {
  const rows = await query<Stored<WaitingChange>>('waiting-changes', OF_ACCOUNT, [accountId])
  return rows.map((row) => shown<WaitingChange>(row))
}

const OF_ACCOUNT = `
  SELECT id, credits::text AS credits, change, reason, proposed_email AS "proposedEmail", created_at AS "createdAt", expires_at AS "expiresAt"
  FROM support_approval WHERE account_id = $1 AND status = 'PENDING' AND expires_at > service_now() ORDER BY created_at, id`

const WAITING = `
  SELECT p.id, p.account_id AS "accountId", a.name AS "accountName", p.credits::text AS credits, p.change, p.reason, p.proposed_email AS "proposedEmail",
    p.created_at AS "createdAt", p.expires_at AS "expiresAt",
    CASE WHEN p.proposed_by = $1 THEN 'proposer'
      WHEN EXISTS (SELECT 1 FROM membership m WHERE m.account_id = p.account_id AND m.user_id = $1) THEN 'member' END AS barred
  FROM support_approval p JOIN account a ON a.id = p.account_id
  WHERE p.status = 'PENDING' AND p.expires_at > service_now() ORDER BY p.created_at, p.id LIMIT 200`

/** A change that one member of staff may not make alone. `expected`: the value that it replaces. */
export type Proposed =
  | { kind: 'balance'; credits: bigint }
  | { kind: 'quota'; keyId: string; keyName: string; dailyQuota: number; expected: number | null }
  | { kind: 'quota-request'; requestId: string; keyName: string; dailyQuota: number }
  | { kind: 'limit'; name: LimitName; value: number; expected: number | null }
  | { kind: 'tier'; tier: 'PAID'; expected: 'FREE' }

/** The proposal that awaits another member of staff, and its end. */
export interface Waits {
  approvalId: string
  expiresAt: Date
}

/** Stores a proposal for another member of staff, in the transaction that found it beyond the bounds, and records it. */
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

/** Returns what the audit log states of a proposed change. */
export const factsOf = (change: Proposed) => (change.kind === 'balance' ? { credits: creditsText(change.credits) } : change)

/** Returns the change of a row of `support_approval`. */
export const changeOf = ({ credits, change }: { credits: bigint; change: unknown }): Proposed =>
  (change as Proposed | null) ?? { kind: 'balance', credits }
