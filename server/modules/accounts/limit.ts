import type { AccountId } from '../../context.ts'
import { LIMITS, type LimitName } from '../../limits.ts'
import { env } from '../../platform/config.ts'
import { db, type Tx } from '../../platform/database.ts'
import { mediaVolumeBytes } from '../../platform/disk-space.ts'

/** Returns the installation's value of a limit: what holds for an account for which support set no other. */
export function defaultLimit(name: LimitName): number {
  const limit = LIMITS[name]
  return env()[limit.setting] ?? Math.floor(mediaVolumeBytes() * ('share' in limit ? limit.share : 1))
}

/** Returns what holds for an account: the value that support set, else the installation's. Bytes or a count, as `LIMITS` says. */
export async function accountLimit(accountId: AccountId, name: LimitName, on: Pick<Tx, 'accountLimit'> = db()): Promise<number> {
  const row = await on.accountLimit.findUnique({ where: { accountId_name: { accountId, name } }, select: { value: true } })
  return row ? Number(row.value) : defaultLimit(name)
}
