import type { ActionName } from '../../../audit-actions.ts'
import type { Role } from '../../../permissions.ts'
import { db, query } from '../../../platform/database/database.ts'
import { type Attention, readAttention } from '../../dashboard/attention.ts'
import { type WaitingChange, waitingChanges } from './approvals.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

/** Overview of an account for support staff. */
export interface SupportAccount {
  id: string
  name: string
  tier: 'FREE' | 'PAID'
  createdAt: Date
  embedDomains: string[]
  suspendedAt: Date | null
  suspensionReason: string | null
  members: { userId: string; email: string; role: Role; since: Date; suspendedAt: Date | null; suspensionReason: string | null }[]
  /** What support and the operator did to it, its members and its videos, newest first. */
  measures: Measure[]
  videos: { pending: number; processing: number; completed: number; failed: number }
  keys: { active: number; ever: number }
  attention: Attention[]
  /** Changes that await another staff member. */
  waiting: WaitingChange[]
  /** Bytes of originals, renditions, pictures and captions, deleted videos that are not purged yet included. */
  storedBytes: number
}

interface Counts {
  pending: number
  processing: number
  completed: number
  failed: number
  active: number
  ever: number
  stored: number
}

/** Returns one account with current counts. Errors: NOT_FOUND. */
export async function supportAccount(staff: StaffCtx, { accountId }: { accountId: string }): Promise<SupportAccount> {
  const ctx = await openAccount(staff, { accountId, page: 'overview' })
  const [account, [counts], history, attention, waiting] = await Promise.all([
    db().account.findUniqueOrThrow({
      where: { id: ctx.accountId },
      select: {
        ...{ id: true, name: true, tier: true, createdAt: true, embedDomains: true, suspendedAt: true, suspensionReason: true },
        members: {
          select: { role: true, createdAt: true, user: { select: { id: true, email: true, suspendedAt: true, suspensionReason: true } } },
          orderBy: { createdAt: 'asc' },
        },
      },
    }),
    query<Counts>('support-account', COUNTS, [ctx.accountId]),
    measures(ctx.accountId),
    readAttention(ctx),
    waitingChanges(ctx),
  ])
  const { pending, processing, completed, failed, active, ever, stored } = counts as Counts
  const members = account.members.map(({ role, createdAt, user }) => {
    const { id: userId, ...person } = user
    return { userId, ...person, role, since: createdAt }
  })
  return {
    ...account,
    members,
    measures: history,
    videos: { pending, processing, completed, failed },
    keys: { active, ever },
    attention,
    waiting,
    storedBytes: stored,
  }
}

const COUNTS = `
  WITH mine AS (SELECT id, status, deleted_at FROM video WHERE account_id = $1)
  SELECT
    (SELECT count(*) FROM mine WHERE status = 'PENDING' AND deleted_at IS NULL)::float8 AS pending,
    (SELECT count(*) FROM mine WHERE status = 'PROCESSING' AND deleted_at IS NULL)::float8 AS processing,
    (SELECT count(*) FROM mine WHERE status = 'COMPLETED' AND deleted_at IS NULL)::float8 AS completed,
    (SELECT count(*) FROM mine WHERE status = 'FAILED' AND deleted_at IS NULL)::float8 AS failed,
    (SELECT count(*) FROM api_key WHERE account_id = $1 AND (revoked_at IS NULL OR revoked_at > service_now()))::float8 AS active,
    (SELECT count(*) FROM api_key WHERE account_id = $1)::float8 AS ever,
    (SELECT coalesce(sum(original_bytes + rendition_bytes), 0) FROM storage_count WHERE account_id = $1)::float8 AS stored`

/** A suspension, a takedown or ended sessions, or the end of such a measure. */
interface Measure {
  id: string
  at: Date
  action: string
  /** Email address of the staff member; null for the operator. */
  by: string | null
  /** The account, user or video, by its name at that time. */
  subject: string
  reason: string | null
}

const MEASURES: ActionName[] = [
  'support.suspend',
  'support.restore',
  'support.person.suspend',
  'support.person.restore',
  'support.person.sessions',
  'support.takedown',
  'support.putback',
]

/** Returns the last 50 measures in an account's audit log, newest first. */
async function measures(accountId: string): Promise<Measure[]> {
  const rows = await db().auditEntry.findMany({
    where: { accountId, action: { in: MEASURES } },
    orderBy: { id: 'desc' },
    take: 50,
    select: { id: true, createdAt: true, action: true, actorEmail: true, subject: true, before: true, after: true },
  })
  return rows.map(({ id, createdAt, action, actorEmail, subject, before, after }) => {
    const [old, now] = [before, after] as (Record<string, unknown> | null)[]
    const named = now?.title ?? now?.email ?? old?.email ?? (subject === accountId ? 'Account' : subject)
    return {
      id: String(id),
      at: createdAt,
      action,
      by: actorEmail,
      subject: String(named),
      reason: typeof now?.reason === 'string' ? now.reason : null,
    }
  })
}
