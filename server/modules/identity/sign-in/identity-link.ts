import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, query } from '../../../platform/database/database.ts'
import { recordSecurity } from '../../audit/security.ts'
import { reauthenticate } from '../sessions/reauthenticate.ts'
import type { ClientInfo } from './client-ip.ts'
import { markEmailVerified } from './email-verified.ts'
import type { ProvidedIdentity } from './provided-identity.ts'
import { providers } from './providers.ts'
import type { LinkProviderInput } from './schema.ts'

const BEGIN = `UPDATE user_session SET link_provider = $2, link_expires_at = service_now() + interval '10 minutes' WHERE id = $1`
const TAKE = `
  UPDATE user_session SET link_provider = NULL, link_expires_at = NULL
  WHERE id = $1 AND link_provider = $2 AND link_expires_at > service_now() RETURNING 1`

/**
 * Allows the signed-in user to connect a provider within ten minutes, in this session. Errors: as `reauthenticate`, NOT_FOUND for a
 * provider that is not configured.
 */
export async function beginLink(ctx: AccountCtx, visitor: ClientInfo, { provider, password }: LinkProviderInput): Promise<void> {
  if (!providers().some(({ id }) => id === provider))
    throw new ServiceError('NOT_FOUND', { message: 'This provider is not configured on this installation.' })
  await reauthenticate(ctx, visitor, password)
  await query('identity-link-begin', BEGIN, [requireUser(ctx).sessionId, provider])
}

/**
 * Connects a provider's identity to the user of this session, if `beginLink` was called just before. Returns `connected`, or `taken` when
 * another user has the identity; undefined without a started link, so that this is a sign-in.
 */
export async function finishLink(ctx: AccountCtx, identity: ProvidedIdentity): Promise<'connected' | 'taken' | undefined> {
  const { userId, email: own, sessionId } = requireUser(ctx)
  const { issuer, subject, provider } = identity
  if ((await query('identity-link-take', TAKE, [sessionId, provider])).length === 0) return undefined
  const email = identity.email?.toLowerCase() ?? ''
  return db().$transaction(async (tx) => {
    const inserted = await tx.$executeRaw`
      INSERT INTO user_identity (issuer, subject, user_id, provider, email) VALUES (${issuer}, ${subject}, ${userId}, ${provider}, ${email})
      ON CONFLICT DO NOTHING`
    if (inserted > 0)
      await recordSecurity(tx, { event: 'user.identity.connect', userId, from: { remote: ctx.address }, after: { provider, email } })
    const { userId: owner } = await tx.userIdentity.findUniqueOrThrow({ where: { issuer_subject: { issuer, subject } } })
    if (owner !== userId) return 'taken'
    if (identity.emailVerified && email === own) await markEmailVerified(tx, userId)
    return 'connected'
  })
}
