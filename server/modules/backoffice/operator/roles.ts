import { ServiceError } from '../../../errors.ts'
import type { StaffRole } from '../../../permissions.ts'
import { db } from '../../../platform/database/database.ts'
import { grantStaff, listStaff, revokeStaff, type StaffGrant } from '../support/staff-grants.ts'
import { type OperatorCtx, requireCurrentOperator } from './operator.ts'

interface Grant {
  email: string
  role: StaffRole
  unverified?: boolean
}

/** Gives a registered user a role in the installation. Errors: as `grantStaff` and `requireCurrentOperator`. */
export async function grantRole(ctx: OperatorCtx, input: Grant): Promise<{ granted: boolean }> {
  await requireCurrentOperator(db(), ctx)
  return grantStaff(ctx.by, input)
}

/**
 * Revokes a role of a user, effective with their next request. Errors: as `revokeStaff`; CONFLICT for the operator's own role, which
 * another operator or the command revokes, so that no installation loses its last operator by mistake.
 */
export async function revokeRole(ctx: OperatorCtx, input: Pick<Grant, 'email' | 'role'>): Promise<void> {
  await requireCurrentOperator(db(), ctx)
  if (ctx.by.email === input.email)
    throw new ServiceError('CONFLICT', { message: 'You cannot revoke your own role. Another operator, or the command, can.' })
  await revokeStaff(ctx.by, input)
}

/** Returns operators and support staff, the earliest grant first; with `former` also ended periods. */
export async function listRoles(ctx: OperatorCtx, { former = false }: { former?: boolean } = {}): Promise<StaffGrant[]> {
  await requireCurrentOperator(db(), ctx)
  return listStaff({ former })
}
