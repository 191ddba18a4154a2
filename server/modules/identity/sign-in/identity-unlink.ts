import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { recordSecurity } from '../../audit/security.ts'
import type { ProviderInput } from './schema.ts'

/** Disconnects a provider from the signed-in user. Errors: NOT_FOUND, CONFLICT when no way to sign in would remain. */
export async function unlinkIdentity(ctx: AccountCtx, { provider }: ProviderInput): Promise<void> {
  const { userId } = requireUser(ctx)
  await db().$transaction(async (tx) => {
    // Serializes concurrent calls, so that the second sees the providers that the first left.
    await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${userId} FOR UPDATE`
    const { count } = await tx.userIdentity.deleteMany({ where: { userId, provider } })
    if (count === 0) throw new ServiceError('NOT_FOUND', { message: 'This provider is not connected.' })
    const user = await tx.user.findUniqueOrThrow({
      where: { id: userId },
      select: { passwordHash: true, _count: { select: { identities: true } } },
    })
    if (!user.passwordHash && user._count.identities === 0)
      throw new ServiceError('CONFLICT', { message: 'Set a password first. Without this provider you would have no way to sign in.' })
    await recordSecurity(tx, { event: 'user.identity.disconnect', userId, from: { remote: ctx.address }, before: { provider } })
  })
}
