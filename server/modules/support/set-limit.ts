import { changedMeanwhile } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { defaultLimit } from '../accounts/limit.ts'
import { record } from '../audit/record.ts'
import { existingAccount } from './existing-account.ts'
import type { SetLimitInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets one limit of an account for a stated reason, or with null goes back to the installation's value. It holds for the next thing that the
 * limit is asked about; what the account has beyond it stays. Errors: NOT_FOUND for no such account, or no such role any more; FORBIDDEN for an account
 * the member of staff belongs to; CONFLICT when
 * another member of staff set it since it was `seen` (`details` has it as it is now).
 */
export async function setAccountLimit(staff: StaffCtx, { accountId, name, value, reason, seen }: SetLimitInput): Promise<void> {
  await db().$transaction(async (tx) => {
    const ctx = await existingAccount(staff, accountId, tx)
    // Those that set a limit of this account wait for each other here.
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
    const where = { accountId_name: { accountId, name } }
    const row = await tx.accountLimit.findUnique({ where, select: { value: true } })
    const before = row ? Number(row.value) : null
    if (before === value) return
    if (seen !== undefined && before !== seen) throw changedMeanwhile({ value: before })
    if (value === null) await tx.accountLimit.delete({ where })
    else {
      const fields = { value: BigInt(value), reason, setBy: staff.staff.userId }
      await tx.accountLimit.upsert({ where, create: { accountId, name, ...fields }, update: fields })
      await tx.$executeRaw`UPDATE account_limit SET set_at = service_now() WHERE account_id = ${accountId} AND name = ${name}`
    }
    await record(tx, ctx, {
      action: 'support.limit',
      subject: accountId,
      // What held and what holds, so that the owner need not know the installation's value.
      before: { [name]: before ?? defaultLimit(name) },
      after: { [name]: value ?? defaultLimit(name), reason },
    })
  })
}
