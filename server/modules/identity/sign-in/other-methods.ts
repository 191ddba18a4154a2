import type { Tx } from '../../../platform/database/database.ts'
import { providers } from './providers.ts'

/** Second factor and providers that were set up before the user's address was verified, possibly by an attacker. */
export interface OtherMethods {
  secondFactor: boolean
  /** Names of connected providers. */
  providers: string[]
}

/** Returns the other ways to sign in of a user whose address is not verified; undefined when it is, and when there are none. */
export async function unverifiedMethods(on: Pick<Tx, 'user'>, userId: string): Promise<OtherMethods | undefined> {
  const { emailVerifiedAt, totpConfirmedAt, identities } = await on.user.findUniqueOrThrow({
    where: { id: userId },
    select: { emailVerifiedAt: true, totpConfirmedAt: true, identities: { select: { provider: true } } },
  })
  if (emailVerifiedAt || (!totpConfirmedAt && identities.length === 0)) return undefined
  const named = new Map(providers().map(({ id, name }) => [id as string, name]))
  return { secondFactor: totpConfirmedAt !== null, providers: identities.map(({ provider }) => named.get(provider) ?? provider) }
}

/** Removes second factor, recovery codes and connected providers of a user, so that the password alone is sufficient. */
export async function removeOtherMethods(tx: Tx, userId: string): Promise<void> {
  await tx.user.update({ where: { id: userId }, data: { totpSecret: null, totpConfirmedAt: null, totpLastStep: null } })
  await tx.recoveryCode.deleteMany({ where: { userId } })
  await tx.userIdentity.deleteMany({ where: { userId } })
}
