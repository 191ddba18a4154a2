import type { Tx } from '../../platform/database.ts'
import { providers } from './providers.ts'

/** Second factor and providers that were set up before the user's address was proven, possibly by an attacker. */
export interface OtherWays {
  secondFactor: boolean
  /** Names of connected providers. */
  providers: string[]
}

/** Returns the other ways to sign in of a user whose address is not proven; undefined when it is, and when there are none. */
export async function unprovenWays(on: Pick<Tx, 'user'>, userId: string): Promise<OtherWays | undefined> {
  const { emailProvenAt, totpSince, identities } = await on.user.findUniqueOrThrow({
    where: { id: userId },
    select: { emailProvenAt: true, totpSince: true, identities: { select: { provider: true } } },
  })
  if (emailProvenAt || (!totpSince && identities.length === 0)) return undefined
  const named = new Map(providers().map(({ id, name }) => [id as string, name]))
  return { secondFactor: totpSince !== null, providers: identities.map(({ provider }) => named.get(provider) ?? provider) }
}

/** Removes second factor, recovery codes and connected providers of a user, so that the password alone is sufficient. */
export async function removeOtherWays(tx: Tx, userId: string): Promise<void> {
  await tx.user.update({ where: { id: userId }, data: { totpSecret: null, totpSince: null, totpLastStep: null } })
  await tx.recoveryCode.deleteMany({ where: { userId } })
  await tx.userIdentity.deleteMany({ where: { userId } })
}
