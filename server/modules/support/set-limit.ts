import { changedMeanwhile } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { defaultLimit } from '../accounts/limit.ts'
import { record } from '../audit/record.ts'
import { requireAccount } from './require-account.ts'
import type { SetLimitInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets one limit of an account for a stated reason; null restores the installation's value. Applies to the next check; existing usage
 * above it stays. Errors: NOT_FOUND when the account or the role does not exist any more; FORBIDDEN for an account of the member of staff;
 * CONFLICT when another member of staff set it since it was `expected` (`details` has the current value).
 */
export async function setAccountLimit(staff: StaffCtx, { accountId, name, value, reason, expected }: SetLimitInput): Promise<void> {
  await db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    // Serializes changes of this account's limits.
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
    const where = { accountId_name: { accountId, name } }
    const row = await tx.accountLimit.findUnique({ where, select: { value: true } })
    const before = row ? Number(row.value) : null
    if (before === value) return
    if (expected !== undefined && before !== expected) throw changedMeanwhile({ value: before })
    if (value === null) await tx.accountLimit.delete({ where })
    else {
      const fields = { value: BigInt(value), reason, setBy: staff.staff.userId }
      await tx.accountLimit.upsert({ where, create: { accountId, name, ...fields }, update: fields })
      await tx.$executeRaw`UPDATE account_limit SET set_at = service_now() WHERE account_id = ${accountId} AND name = ${name}`
    }
    await record(tx, ctx, {
      action: 'support.limit',
      subject: accountId,
      // The values that were and are effective, so that the owner need not know the installation's value.
      before: { [name]: before ?? defaultLimit(name) },
      after: { [name]: value ?? defaultLimit(name), reason },
    })
  })
}
