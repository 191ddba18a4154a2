import type { AccountId } from '../context.ts'
import { db, type Tx } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { LIMITS, type LimitName } from '../limits.ts'

/** Returns the installation's value of a limit: what holds for an account for which support set no other. */
export const defaultLimit = (name: LimitName): number => env()[LIMITS[name].setting]

/** Returns what holds for an account: the value that support set, else the installation's. Bytes or a count, as `LIMITS` says. */
export async function accountLimit(accountId: AccountId, name: LimitName, on: Pick<Tx, 'accountLimit'> = db()): Promise<number> {
  const row = await on.accountLimit.findUnique({ where: { accountId_name: { accountId, name } }, select: { value: true } })
  return row ? Number(row.value) : defaultLimit(name)
}
