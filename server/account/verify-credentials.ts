import { db } from '../infra/db.ts'
import { verifyNobody, verifyPassword } from './password.ts'
import type { SignInInput } from './schema.ts'
import { throttledSignIn } from './throttle.ts'
import type { Visitor } from './visitor.ts'

/** Who proved to be whom, and the account they work in (their oldest). */
export interface Verified {
  userId: string
  accountId: string
  email: string
}

/**
 * Checks an e-mail and password. Undefined when they do not belong together; an unknown e-mail costs the same time as
 * a wrong password. Throws TOO_MANY_ATTEMPTS.
 */
export function verifyCredentials(visitor: Visitor, { email, password }: SignInInput): Promise<Verified | undefined> {
  return throttledSignIn(email, visitor.address, async () => {
    const user = await db().user.findUnique({
      where: { email },
      include: { memberships: { orderBy: { createdAt: 'asc' }, take: 1 } },
    })
    const right = user?.passwordHash ? await verifyPassword(password, user.passwordHash) : await verifyNobody(password)
    const membership = user?.memberships[0]
    if (!right || !user || !membership) return undefined
    return { userId: user.id, accountId: membership.accountId, email: user.email }
  })
}
