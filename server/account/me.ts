import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import type { Role } from '../roles.ts'

/** Who is signed in, and to which account. */
export interface Me {
  email: string
  role: Role
  account: { id: string; name: string; tier: 'FREE' | 'PAID' }
}

/** The signed-in person and their account. Errors: UNAUTHENTICATED when the actor is no person. */
export async function me(ctx: AccountCtx): Promise<Me> {
  if (ctx.actor.kind !== 'user') throw new ServiceError('UNAUTHENTICATED')
  const account = await db().account.findUniqueOrThrow({ where: { id: ctx.accountId }, select: { id: true, name: true, tier: true } })
  return { email: ctx.actor.email, role: ctx.actor.role, account }
}
