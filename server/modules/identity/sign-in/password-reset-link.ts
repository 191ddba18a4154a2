import type { AccountId } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { db } from '../../../platform/database/database.ts'
import { randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { email as emailSchema } from '../accounts/schema.ts'

/**
 * Creates a single-use password reset link that is valid for one hour; for the operator alone, who delivers it where no mail is configured.
 * It proves no address. Recorded in the audit log of each account of the user. Errors: INVALID_REQUEST for an invalid e-mail address,
 * NOT_FOUND for an unknown one.
 */
export async function makeResetLink(input: { email: string }): Promise<{ url: string; expiresAt: Date }> {
  const email = emailSchema.safeParse(input.email)
  if (!email.success) throw new ServiceError('INVALID_REQUEST', { message: email.error.issues[0]?.message })
  const token = randomBase62(32)
  return db().$transaction(async (tx) => {
    const [made] = await tx.$queryRaw<{ userId: string; expiresAt: Date }[]>`
      INSERT INTO password_reset (hash, user_id, expires_at, by_mail)
      SELECT ${sha256(token)}, id, service_now() + interval '1 hour', false FROM app_user WHERE email = ${email.data}
      RETURNING user_id AS "userId", expires_at AS "expiresAt"`
    if (!made) throw new ServiceError('NOT_FOUND', { message: `No user has the email address ${email.data}.` })
    const { userId, expiresAt } = made
    const entry = { action: 'user.password.link', subject: userId, after: { expiresAt: expiresAt.toISOString() } } as const
    for (const { accountId } of await tx.membership.findMany({
      where: { userId },
      select: { accountId: true },
      orderBy: { accountId: 'asc' },
    }))
      await record(tx, { accountId: accountId as AccountId, actor: { kind: 'operator' } }, entry)
    return { url: `${env().BASE_URL}/reset-password#${token}`, expiresAt }
  })
}
