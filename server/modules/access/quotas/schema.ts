import { z } from 'zod'
import { isStorable, NOT_STORABLE, text } from '../../../platform/text/schema.ts'
import { keyId, MAX_DAILY_QUOTA, reason } from '../../billing/schema.ts'

export const requestQuotaInput = z.object({
  keyId,
  requestedQuota: z
    .int('Enter a whole number.')
    .min(1, 'Enter a number of at least 1.')
    .max(MAX_DAILY_QUOTA, 'Enter at most 1,000,000,000.'),
  reason: text('Describe your use case.')
    .trim()
    .min(10, 'Describe your use case in at least 10 characters.')
    .max(1_000, 'Use at most 1,000 characters.')
    .refine(isStorable, NOT_STORABLE),
})
export type RequestQuotaInput = z.output<typeof requestQuotaInput>

export const keyRequestsInput = z.object({ keyId })

export const resolveQuotaRequestInput = z.object({
  requestId: keyId,
  /** Tokens per day; null declines. */
  approvedQuota: z
    .int('Enter a whole number.')
    .min(1, 'Enter a number of at least 1.')
    .max(MAX_DAILY_QUOTA, 'Enter at most 1,000,000,000.')
    .nullable(),
  resolutionNote: reason,
})
export type ResolveQuotaRequestInput = z.output<typeof resolveQuotaRequestInput>
