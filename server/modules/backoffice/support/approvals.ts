import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { recordViews } from './open-account.ts'
import { changeOf, factsOf, type Proposed } from './proposals.ts'
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
