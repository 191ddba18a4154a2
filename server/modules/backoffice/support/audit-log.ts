import { type AuditFilterOptions, auditFilterOptions } from '../../audit/filter-options.ts'
import { type AuditPage, listAudit } from '../../audit/list.ts'
import { openAccount } from './open-account.ts'
import type { SupportAuditInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Returns a page of an account's audit log as its members read it, the newest first. Errors: NOT_FOUND. */
export async function supportAudit(staff: StaffCtx, { accountId, ...input }: SupportAuditInput): Promise<AuditPage> {
  return listAudit(await openAccount(staff, { accountId, page: 'audit log' }), input)
}

/** Returns the actors and actions that occur in an account's audit log. Errors: NOT_FOUND. */
export async function supportAuditChoices(staff: StaffCtx, { accountId }: { accountId: string }): Promise<AuditFilterOptions> {
  return auditFilterOptions(await openAccount(staff, { accountId, page: 'audit log' }))
}
