import type { ActionName } from '../../../audit-actions.ts'
import { db } from '../../../platform/database/database.ts'

/** A measure of support or the operator against an account, its members or its videos, or its end. */
export interface Measure {
  id: string
  at: Date
  action: string
  /** E-mail of the member of staff; null for the operator. */
  by: string | null
  /** The account, user or video concerned, by its name at that time. */
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

/** Returns the measures in an account's audit log, the newest first; at most 50. */
export async function measures(accountId: string): Promise<Measure[]> {
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
