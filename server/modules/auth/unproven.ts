import type { Tx } from '../../platform/database.ts'
import { providers } from './providers.ts'

/** What else opens a person's sign-in, or bars it, that was set up before their address was proven: perhaps by another person. */
export interface OtherWays {
  secondFactor: boolean
  /** Names of connected providers. */
  providers: string[]
}

/** The other ways of a person whose address was never proven; undefined when it was, and when there are none. */
export async function unprovenWays(on: Pick<Tx, 'user'>, userId: string): Promise<OtherWays | undefined> {
  const { emailProvenAt, totpSince, identities } = await on.user.findUniqueOrThrow({
    where: { id: userId },
    select: { emailProvenAt: true, totpSince: true, identities: { select: { provider: true } } },
  })
  if (emailProvenAt || (!totpSince && identities.length === 0)) return undefined
  const named = new Map(providers().map(({ id, name }) => [id as string, name]))
  return { secondFactor: totpSince !== null, providers: identities.map(({ provider }) => named.get(provider) ?? provider) }
}

/** Takes second factor, recovery codes and connected providers from a person, so that the password alone opens. */
export async function removeOtherWays(tx: Tx, userId: string): Promise<void> {
  await tx.user.update({ where: { id: userId }, data: { totpSecret: null, totpSince: null, totpLastStep: null } })
  await tx.recoveryCode.deleteMany({ where: { userId } })
  await tx.userIdentity.deleteMany({ where: { userId } })
}
