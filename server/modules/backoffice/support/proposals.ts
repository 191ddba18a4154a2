import type { AccountCtx } from '../../../context.ts'
import type { LimitName } from '../../../limits.ts'
import type { Tx } from '../../../platform/database/database.ts'
import type { Prisma } from '../../../platform/prisma/client.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { creditsText } from '../../billing/price-schema.ts'
import { APPROVAL_DAYS } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** A change that one member of staff may not make alone. `expected`: the value that it replaces. */
export type Proposed =
  | { kind: 'balance'; credits: bigint }
  | { kind: 'quota'; keyId: string; keyName: string; dailyQuota: number; expected: number | null }
  | { kind: 'quota-request'; requestId: string; keyName: string; dailyQuota: number }
  | { kind: 'limit'; name: LimitName; value: number; expected: number | null }
  | { kind: 'tier'; tier: 'PAID'; expected: 'FREE' }

/** The proposal that awaits another member of staff, and its end. */
export interface Waits {
  approvalId: string
  expiresAt: Date
}

/** Stores a proposal for another member of staff, in the transaction that found it beyond the bounds, and records it. */
export async function propose(tx: Tx, ctx: AccountCtx, { staff }: StaffCtx, change: Proposed, reason: string): Promise<Waits> {
  const id = newId('apr')
  const [credits, stored] = change.kind === 'balance' ? [change.credits, null] : [0n, change]
  const [row] = await tx.$queryRaw<[{ expiresAt: Date }]>`
    INSERT INTO support_approval (id, account_id, credits, change, reason, proposed_by, proposed_email, created_at, expires_at)
    VALUES (${id}, ${ctx.accountId}, ${credits}, ${stored as Prisma.JsonObject | null}::jsonb, ${reason}, ${staff.userId}, ${staff.email}, service_now(),
      service_now() + make_interval(days => ${APPROVAL_DAYS})) RETURNING expires_at AS "expiresAt"`
  await record(tx, ctx, { action: 'support.proposal', subject: id, after: { ...factsOf(change), reason } })
  return { approvalId: id, expiresAt: row.expiresAt }
}

/** Returns what the audit log states of a proposed change. */
export const factsOf = (change: Proposed) => (change.kind === 'balance' ? { credits: creditsText(change.credits) } : change)

/** Returns the change of a row of `support_approval`. */
export const changeOf = ({ credits, change }: { credits: bigint; change: unknown }): Proposed =>
  (change as Proposed | null) ?? { kind: 'balance', credits }
