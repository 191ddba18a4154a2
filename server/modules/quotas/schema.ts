import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../../platform/schema.ts'
import { keyId, MOST_DAILY_QUOTA, reason } from '../billing/schema.ts'

export const requestQuotaInput = z.object({
  keyId,
  wanted: z.int('Enter a whole number.').min(1, 'Enter a number from 1 on.').max(MOST_DAILY_QUOTA, 'Enter at most 1,000,000,000.'),
  reason: z
    .string('Say what it is for.')
    .trim()
    .min(10, 'Say what it is for, in ten characters or more.')
    .max(1_000, 'At most 1,000 characters.')
    .refine(isStorable, NOT_STORABLE),
})
export type RequestQuotaInput = z.output<typeof requestQuotaInput>

export const keyRequestsInput = z.object({ keyId })

export const resolveQuotaRequestInput = z.object({
  requestId: keyId,
  /** Tokens a day; null declines. */
  granted: z
    .int('Enter a whole number.')
    .min(1, 'Enter a number from 1 on.')
    .max(MOST_DAILY_QUOTA, 'Enter at most 1,000,000,000.')
    .nullable(),
  answer: reason,
})
export type ResolveQuotaRequestInput = z.output<typeof resolveQuotaRequestInput>
