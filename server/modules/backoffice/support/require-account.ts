import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { LimitName } from '../../../limits.ts'
import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { CHAIN } from '../../access/keys/end-key.ts'
import { FREE_DAILY_QUOTA, MICRO } from '../../billing/price-schema.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import { supportContext } from './open-account.ts'
import { refuseOwnAccount } from './refuse-own.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/**
 * Returns the context for changing an account; the audit log records the change, not the access. In a transaction (`on`) the role stays
 * valid until the transaction ends. Errors: NOT_FOUND; FORBIDDEN for one's own account.
 */
export async function requireAccount(
  staff: StaffCtx,
  accountId: string,
  on: Pick<Tx, '$queryRaw' | 'account'> = db(),
): Promise<AccountCtx> {
  await requireCurrentStaff(on, staff)
  if ((await on.account.count({ where: { id: accountId, deletedAt: null } })) === 0)
    throw new ServiceError('NOT_FOUND', { message: 'No such account exists.' })
  await refuseOwnAccount(on, staff, accountId)
  return supportContext(staff, accountId)
}

/** How many times the default one staff member may set a limit of an account to, and the quotas of its keys in sum. */
const [LIMIT_FACTOR, QUOTA_FACTOR] = [2, 10]

/** Returns whether one staff member may set a limit: up to twice the installation's value, or lower than it is. */
export const maySetLimitAlone = (name: LimitName, value: number, before: number | null): boolean =>
  value <= Math.max(before ?? 0, LIMIT_FACTOR * defaultLimit(name))

/**
 * Returns whether one staff member may set a key's quota: while the quotas that staff set for the account's live keys are in sum at most ten
 * times the quota of a key of its tier, or lower than it is. Locks the account, so that the next change counts this one.
 */
export async function maySetQuotaAlone(
  tx: Tx,
  { accountId, keyId, dailyQuota }: { accountId: string; keyId: string; dailyQuota: number },
): Promise<boolean> {
  const [{ tier }] = await tx.$queryRaw<[{ tier: 'FREE' | 'PAID' }]>`SELECT tier FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const [{ before, others } = { before: null, others: 0 }] = await tx.$queryRawUnsafe<{ before: number | null; others: number }[]>(
    QUOTAS,
    accountId,
    keyId,
  )
  const bound = QUOTA_FACTOR * (tier === 'PAID' ? env().PAID_DAILY_QUOTA : FREE_DAILY_QUOTA)
  return dailyQuota <= (before ?? 0) || others + dailyQuota <= bound
}

/** Keys of a rotation chain share one quota. */
const QUOTAS = `
  WITH chains AS (
    SELECT ${CHAIN} AS chain, max(k.daily_quota) AS quota, bool_or(k.id = $2) AS own FROM api_key k
    WHERE k.account_id = $1 AND k.environment = 'LIVE' AND k.revoked_at IS NULL GROUP BY 1)
  SELECT max(quota) FILTER (WHERE own) AS before, coalesce(sum(quota) FILTER (WHERE NOT own), 0)::float8 AS others FROM chains`

/** Micro-credits that staff may move on an account within 24 hours without approval. */
export const soloCredits = (): bigint => BigInt(env().SUPPORT_SECOND_APPROVAL_CREDITS) * BigInt(MICRO)

/** Returns whether one staff member may set the paid tier: while the balance that it spends is at most what they could move alone. */
export async function maySetPaidAlone(tx: Tx, accountId: string): Promise<boolean> {
  const wallet = await tx.wallet.findUnique({ where: { accountId }, select: { balance: true } })
  return (wallet?.balance ?? 0n) <= soloCredits()
}
