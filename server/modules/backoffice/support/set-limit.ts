import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import { maySetLimitAlone } from './alone.ts'
import { propose, type Waits } from './proposals.ts'
import { requireAccount } from './require-account.ts'
import type { SetLimitInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets one limit of an account for a stated reason; null restores the installation's value. Applies to the next check; existing usage
 * above it stays. Beyond twice the installation's value it becomes a proposal instead, which is returned. Errors: NOT_FOUND when the account
 * or the role does not exist any more; FORBIDDEN for an account of the member of staff; CONFLICT when another member of staff set it since it
 * was `expected` (`details` has the current value).
 */
export async function setAccountLimit(staff: StaffCtx, input: SetLimitInput): Promise<Waits | null> {
  const { accountId, name, value, reason, expected } = input
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    const before = await ownLimit(tx, input)
    if (before === value) return null
    if (expected !== undefined && before !== expected) throw changedMeanwhile({ value: before })
    if (value !== null && !maySetLimitAlone(name, value, before))
      return propose(tx, ctx, staff, { kind: 'limit', name, value, expected: before }, reason)
    await storeLimit(tx, ctx, { name, value, reason, before })
    return null
  })
}

/** Applies a proposed limit. Errors: CONFLICT when it was set since it was proposed. */
export async function applyLimit(tx: Tx, ctx: AccountCtx, input: Omit<SetLimitInput, 'accountId'>): Promise<void> {
  const before = await ownLimit(tx, { ...input, accountId: ctx.accountId })
  if (before !== input.expected) throw changedMeanwhile({ value: before })
  await storeLimit(tx, ctx, { ...input, before })
}

/** Returns the account's own value, null where it has none. Serializes changes of this account's limits. */
async function ownLimit(tx: Tx, { accountId, name }: Pick<SetLimitInput, 'accountId' | 'name'>): Promise<number | null> {
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const row = await tx.accountLimit.findUnique({ where: { accountId_name: { accountId, name } }, select: { value: true } })
  return row ? Number(row.value) : null
}

type Stored = Pick<SetLimitInput, 'name' | 'value' | 'reason'> & { before: number | null }

async function storeLimit(tx: Tx, ctx: AccountCtx, { name, value, reason, before }: Stored): Promise<void> {
  const { accountId, actor } = ctx
  const where = { accountId_name: { accountId, name } }
  if (value === null) await tx.accountLimit.delete({ where })
  else {
    const fields = { value: BigInt(value), reason, setBy: 'userId' in actor ? actor.userId : actor.kind }
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
}
