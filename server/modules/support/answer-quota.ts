import { resolveQuotaRequest } from '../quotas/resolve-quota-request.ts'
import { existingAccount } from './existing-account.ts'
import type { SupportAnswerInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Grants or declines a request for a higher quota. Errors: NOT_FOUND, CONFLICT when it was answered before. */
export async function answerQuotaRequest(staff: StaffCtx, { accountId, ...answer }: SupportAnswerInput): Promise<void> {
  await resolveQuotaRequest(await existingAccount(staff, accountId), answer)
}
