import type { Tx } from '../../platform/database.ts'

/**
 * Writes down that this person reads the mail of their address, or that a provider says so. A link that was shown to anybody else, such as an
 * inviter or the operator, must not lead here.
 */
export async function markEmailProven(tx: Tx, userId: string): Promise<void> {
  await tx.$executeRaw`UPDATE app_user SET email_proven_at = service_now() WHERE id = ${userId} AND email_proven_at IS NULL`
}
