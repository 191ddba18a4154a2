import type { AccountId } from '../../../context.ts'
import { LIMITS, type LimitName } from '../../../limits.ts'
import { env } from '../../../platform/config/config.ts'
import { db, query, type Runner, type Tx } from '../../../platform/database/database.ts'
import { mediaVolumeBytes } from '../../../platform/files/disk-space.ts'

/** Returns the installation's value of a limit, which applies unless support set one for the account. */
export function defaultLimit(name: LimitName): number {
  const limit = LIMITS[name]
  if ('value' in limit) return limit.value
  if ('ofStorage' in limit) return Math.floor(defaultLimit('storageBytes') * limit.ofStorage)
  return env()[limit.setting] ?? Math.floor(mediaVolumeBytes() * ('share' in limit ? limit.share : 1))
}

/** Returns an account's limit: the value that support set, else the installation's. Bytes or a count, as in `LIMITS`. */
export async function accountLimit(accountId: AccountId, name: LimitName, on: Pick<Tx, 'accountLimit'> = db()): Promise<number> {
  const row = await on.accountLimit.findUnique({ where: { accountId_name: { accountId, name } }, select: { value: true } })
  return row ? Number(row.value) : defaultLimit(name)
}

/** Returns several limits of the account, each as `accountLimit` does. */
export async function accountLimits<Name extends LimitName>(
  accountId: AccountId,
  names: readonly Name[],
  on?: Runner,
): Promise<Record<Name, number>> {
  const sql = 'SELECT name, value::float8 AS value FROM account_limit WHERE account_id = $1'
  const rows = await query<{ name: string; value: number }>('account-limits', sql, [accountId], on)
  const limitOf = (name: Name) => rows.find((row) => row.name === name)?.value ?? defaultLimit(name)
  return Object.fromEntries(names.map((name) => [name, limitOf(name)])) as Record<Name, number>
}
