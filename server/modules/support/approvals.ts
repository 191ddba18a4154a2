import { db, query } from '../../platform/database.ts'
import { creditsText } from '../pricing/schema.ts'
import { recordViews } from './open-account.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** A change of a balance that awaits another member of staff. */
export interface WaitingApproval {
  id: string
  accountId: string
  accountName: string
  /** In credits, signed. */
  credits: string
  reason: string
  proposedEmail: string
  createdAt: Date
  expiresAt: Date
  /** Why the viewer may not decide on it; null when they may. */
  barred: 'proposer' | 'member' | null
}

type Row = Omit<WaitingApproval, 'credits'> & { credits: string }

/** Returns the proposals that await a decision, the oldest first; at most 200. Records the view in the audit log of each account. */
export async function waitingApprovals(staff: StaffCtx): Promise<WaitingApproval[]> {
  await requireCurrentStaff(db(), staff)
  const rows = await query<Row>('waiting-approvals', WAITING, [staff.staff.userId])
  await recordViews(
    staff,
    rows.map(({ accountId }) => accountId),
    'approvals',
  )
  return rows.map((row) => ({ ...row, credits: creditsText(BigInt(row.credits)) }))
}

const WAITING = `
  SELECT p.id, p.account_id AS "accountId", a.name AS "accountName", p.credits::text AS credits, p.reason, p.proposed_email AS "proposedEmail",
    p.created_at AS "createdAt", p.expires_at AS "expiresAt",
    CASE WHEN p.proposed_by = $1 THEN 'proposer'
      WHEN EXISTS (SELECT 1 FROM membership m WHERE m.account_id = p.account_id AND m.user_id = $1) THEN 'member' END AS barred
  FROM support_approval p JOIN account a ON a.id = p.account_id
  WHERE p.status = 'PENDING' AND p.expires_at > service_now() ORDER BY p.created_at, p.id LIMIT 200`
