import { db } from '../../platform/database.ts'

/** A user's period as support staff. */
export interface StaffGrant {
  email: string
  grantedAt: Date
  /** null while it lasts. */
  revokedAt: Date | null
}

/** Returns the support staff, the earliest grant first; with `former` also ended periods. For the operator alone. */
export async function listSupport({ former }: { former: boolean }): Promise<StaffGrant[]> {
  const rows = await db().staffGrant.findMany({
    where: former ? {} : { revokedAt: null },
    orderBy: { id: 'asc' },
    select: { grantedAt: true, revokedAt: true, user: { select: { email: true } } },
  })
  return rows.map(({ user, grantedAt, revokedAt }) => ({ email: user.email, grantedAt, revokedAt }))
}
