import type { AccountCtx } from '../../../context.ts'
import { ServiceError, secondFactorMissing } from '../../../errors.ts'
import type { StaffRole } from '../../../permissions.ts'
import { env } from '../../../platform/config/config.ts'
import { pageOf } from '../../../platform/database/cursor.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { type ListedOperatorEntry, type OperatorActor, readOperatorLog } from '../../audit/operator-log.ts'
import { grantStaff, listStaff, revokeStaff, type StaffGrant } from '../support/staff.ts'

interface Grant {
  email: string
  role: StaffRole
  unverified?: boolean
}

/** Grants a role to a user who has signed up. Errors: as `grantStaff` and `requireCurrentOperator`. */
export async function grantRole(ctx: OperatorCtx, input: Grant): Promise<{ granted: boolean }> {
  await requireCurrentOperator(db(), ctx)
  return grantStaff(ctx.by, input)
}

/**
 * Revokes a user's role from their next request on. Errors: as `revokeStaff`; CONFLICT for the operator's own role, so that no
 * installation loses its last operator by mistake: another operator revokes it, or the command.
 */
export async function revokeRole(ctx: OperatorCtx, input: Pick<Grant, 'email' | 'role'>): Promise<void> {
  await requireCurrentOperator(db(), ctx)
  if (ctx.by.email === input.email)
    throw new ServiceError('CONFLICT', { message: 'You cannot revoke your own role. Ask another operator, or use the command line.' })
  await revokeStaff(ctx.by, input)
}

/** Returns operators and support staff, earliest grant first; with `former`, past ones too. */
export async function listRoles(ctx: OperatorCtx, { former = false }: { former?: boolean } = {}): Promise<StaffGrant[]> {
  await requireCurrentOperator(db(), ctx)
  return listStaff({ former })
}

/** Context of an operator in the console or of the command. Only `requireOperator` and `operatorCommand` create it. */
export interface OperatorCtx {
  readonly __brand: 'Operator'
  by: OperatorActor
  /** The user; undefined for the command, whose caller has the installation's files. */
  userId: string | undefined
}

/** Returns the context of the operator's command. */
export const operatorCommand = (): OperatorCtx => ({ by: { name: 'operator', email: null }, userId: undefined }) as OperatorCtx

/**
 * Returns the context of the signed-in user if they are an operator at this moment. Other users get the same error as for an unknown URL.
 * Errors: NOT_FOUND, FORBIDDEN (see `requireCurrentOperator`).
 */
export async function requireOperator(session: AccountCtx | undefined): Promise<OperatorCtx> {
  if (session?.actor.kind !== 'user') throw new ServiceError('NOT_FOUND')
  const { userId, email } = session.actor
  const ctx = { by: { name: `operator:${userId}`, email }, userId } as OperatorCtx
  await requireCurrentOperator(db(), ctx)
  return ctx
}

/**
 * Throws NOT_FOUND unless the role is valid now, and FORBIDDEN with `details.reason` `second-factor` while the user has none and
 * `STAFF_SECOND_FACTOR` requires one. In a transaction the role stays valid until the transaction ends.
 */
export async function requireCurrentOperator(on: Pick<Tx, '$queryRaw'>, { userId }: OperatorCtx): Promise<void> {
  if (userId === undefined) return
  const [role] = await on.$queryRaw<{ secondFactor: boolean }[]>`
    SELECT u.totp_confirmed_at IS NOT NULL AS "secondFactor" FROM staff_grant g JOIN app_user u ON u.id = g.user_id
    WHERE g.user_id = ${userId} AND g.role = 'operator' AND g.revoked_at IS NULL FOR SHARE OF g`
  if (!role) throw new ServiceError('NOT_FOUND')
  if (env().STAFF_SECOND_FACTOR === 'required' && !role.secondFactor) throw secondFactorMissing('Operators')
}

const PAGE = 50

/** Returns a page of the installation's log, newest first. Errors: as `requireCurrentOperator`. */
export async function operatorLog(
  ctx: OperatorCtx,
  { cursor }: { cursor?: string | undefined },
): Promise<{ entries: ListedOperatorEntry[]; nextCursor: string | null }> {
  await requireCurrentOperator(db(), ctx)
  const { rows, nextCursor } = pageOf(await readOperatorLog(cursor, PAGE + 1), PAGE, ({ id }) => id)
  return { entries: rows, nextCursor }
}
