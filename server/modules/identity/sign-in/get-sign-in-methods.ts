import { type AccountCtx, requireUser } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { isMailConfigured } from '../../../platform/mail.ts'
import { providerNames } from './providers.ts'
import type { ProviderId } from './schema.ts'

/** The sign-in methods of the signed-in user. */
export interface SignInMethods {
  email: string
  hasPassword: boolean
  /** Null while there is no second factor. */
  totp: { since: Date; recoveryCodesLeft: number } | null
  /** Providers that can be connected, with the connected e-mail. */
  providers: { id: ProviderId; name: string; connectedAs: string | null }[]
  /** Whether password reset by mail is available. */
  mail: boolean
}

/** Returns the signed-in user's sign-in methods, without data of the account. */
export async function getSignInMethods(ctx: AccountCtx): Promise<SignInMethods> {
  const { userId, email } = requireUser(ctx)
  const user = await db().user.findUniqueOrThrow({
    where: { id: userId },
    select: {
      passwordHash: true,
      totpConfirmedAt: true,
      identities: { select: { provider: true, email: true } },
      _count: { select: { recoveryCodes: true } },
    },
  })
  const providers = providerNames().map(({ id, name }) => ({
    id,
    name,
    connectedAs: user.identities.find(({ provider }) => provider === id)?.email ?? null,
  }))
  const totp = user.totpConfirmedAt && { since: user.totpConfirmedAt, recoveryCodesLeft: user._count.recoveryCodes }
  return { email, hasPassword: user.passwordHash !== null, totp, providers, mail: isMailConfigured() }
}
