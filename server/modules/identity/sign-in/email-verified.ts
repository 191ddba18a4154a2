import type { Tx } from '../../../platform/database/database.ts'

/**
 * Records that this user receives mail at their address, or that a provider asserts it. Not for a link that others have seen, such as an
 * inviter or the operator.
 */
export async function markEmailVerified(tx: Tx, userId: string): Promise<void> {
  await tx.$executeRaw`UPDATE app_user SET email_verified_at = service_now() WHERE id = ${userId} AND email_verified_at IS NULL`
}
