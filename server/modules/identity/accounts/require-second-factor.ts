import { type AccountCtx, requirePermission, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import type { RequireSecondFactorInput } from '../members/member-schema.ts'

/**
 * Sets whether members must have a second factor. From their next request on, members without one can open only the page to set it up
 * (server/modules/identity/sessions/session.ts). Errors: FORBIDDEN unless the actor is an owner, CONFLICT when the actor has none.
 */
export async function setSecondFactorRequired(ctx: AccountCtx, { required }: RequireSecondFactorInput): Promise<void> {
  requirePermission(ctx, 'team.change')
  const { userId } = requireUser(ctx)
  await db().$transaction(async (tx) => {
    const [before] = await tx.$queryRaw<[{ required: boolean }]>`
      SELECT requires_second_factor AS required FROM account WHERE id = ${ctx.accountId} FOR UPDATE`
    if (before.required === required) return
    const { totpConfirmedAt } = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { totpConfirmedAt: true } })
    if (required && !totpConfirmedAt)
      throw new ServiceError('CONFLICT', { message: 'First set up two-factor sign-in for your own login under Settings > Security.' })
    await tx.account.update({ where: { id: ctx.accountId }, data: { requiresSecondFactor: required } })
    await record(tx, ctx, { action: 'team.secondFactor', subject: ctx.accountId, before, after: { required } })
  })
}
