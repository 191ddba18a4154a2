import { answerQuota } from '../billing/quota-answer.ts'
import { requireAccount } from './require-account.ts'
import type { SupportAnswerInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Grants or declines a request for a higher quota. Errors: NOT_FOUND, CONFLICT when it was answered before. */
export async function answerQuotaRequest(staff: StaffCtx, { accountId, ...answer }: SupportAnswerInput): Promise<void> {
  await answerQuota(await requireAccount(staff, accountId), answer)
}
