import { z } from 'zod'
import type { Edit } from '../../../errors.ts'
import { LIMIT_NAMES } from '../../../limits.ts'
import { dayRangeFields, isStorable, NOT_STORABLE, text } from '../../../platform/text/schema.ts'
import { resolveQuotaRequestInput } from '../../access/quotas/schema.ts'
import { listRequestsInput, requestIdInput, SPLITS, wholeRange } from '../../analytics/schema.ts'
import { auditListInput } from '../../audit/schema.ts'
import { creditInput, setTierInput } from '../../billing/schema.ts'
import { email } from '../../identity/accounts/schema.ts'
import { dashboardListInput } from '../../videos/list/list-schema.ts'
import { deliveriesInput, deliveryInput } from '../../webhooks/endpoints/schema.ts'
import { TIMELINE_KIND_NAMES } from './state.ts'

export const staffEmailInput = z.object({ email })
export type StaffEmail = z.output<typeof staffEmailInput>

/** `unverified`: the operator vouches for an address that the user never verified by email. */
export const grantSupportInput = staffEmailInput.extend({ unverified: z.boolean().default(false) })
export type GrantSupportInput = z.input<typeof grantSupportInput>

/** The parts of an account that support staff view, as the account's audit log names them. */
export const SUPPORT_PAGES = ['overview', 'timeline', 'audit log', 'keys', 'videos', 'requests', 'webhooks', 'billing'] as const
export type SupportPage = (typeof SUPPORT_PAGES)[number]
/** These parts, and the lists that show several accounts. */
export type SupportView = SupportPage | 'search' | 'quota requests' | 'approvals'

const id = z.string().min(1).max(64).refine(isStorable, 'This is not a valid ID.')

export const supportAccountInput = z.object({ accountId: id })
export const supportVideoInput = supportAccountInput.extend({ videoId: id })

export const supportVideosInput = dashboardListInput.extend(supportAccountInput.shape)
export type SupportVideosInput = z.output<typeof supportVideosInput>

export const supportRequestsInput = listRequestsInput.extend(supportAccountInput.shape)
export type SupportRequestsInput = z.output<typeof supportRequestsInput>
export const supportRequestInput = requestIdInput.extend(supportAccountInput.shape)
export type SupportRequestInput = z.output<typeof supportRequestInput>

export const supportUsageInput = supportAccountInput
  .extend({
    ...dayRangeFields,
    split: z.enum(SPLITS).optional(),
  })
  .superRefine(wholeRange)
export type SupportUsageInput = z.output<typeof supportUsageInput>

/** What staff search for, up to the length of a playback token. */
export const findInput = z.object({
  text: text().trim().min(2, 'Enter at least two characters.').max(1_500, 'This search term is too long.').refine(isStorable, NOT_STORABLE),
})
export type FindInput = z.output<typeof findInput>

/** Why staff make a change, for the account's owner to read. */
export const reason = text('Enter a reason.')
  .trim()
  .min(5, 'Enter a reason of at least 5 characters. The account’s owner sees it.')
  .max(500, 'A reason can have at most 500 characters.')
  .refine(isStorable, NOT_STORABLE)

export const MAX_DAILY_QUOTA = 1_000_000_000

export const setQuotaInput = supportAccountInput.extend({
  keyId: id,
  /** Tokens per UTC day; null restores the tier's. */
  dailyQuota: z
    .int('Enter a whole number.')
    .min(1, 'Enter a number of at least 1.')
    .max(MAX_DAILY_QUOTA, 'Enter at most 1,000,000,000.')
    .nullable(),
  reason,
  /** The value that the page showed; null where the tier's quota applied. */
  expected: z.int().nullable(),
})
export type SetQuotaInput = Edit<z.output<typeof setQuotaInput>>

export const keyDisabledInput = supportAccountInput.extend({ keyId: id, disabled: z.boolean(), reason })
export type KeyDisabledInput = z.output<typeof keyDisabledInput>

/** In bytes, the capacity of a thousand disks: more is a typing error. */
const MOST_LIMIT = 1_000_000_000_000_000

export const setLimitInput = supportAccountInput.extend({
  name: z.enum(LIMIT_NAMES),
  /** Bytes or a count, according to LIMITS; null restores the installation's value. */
  value: z
    .int('Enter a whole number.')
    .min(0, 'Enter a number of 0 or more.')
    .max(MOST_LIMIT, 'Enter at most 1,000,000,000,000,000.')
    .nullable(),
  reason,
  /** The value that the page showed; null where the installation's value applied. */
  expected: z.int().nullable(),
})
export type SetLimitInput = Edit<z.output<typeof setLimitInput>>

export const changeTierInput = supportAccountInput.extend({ ...setTierInput.shape, reason })
export type ChangeTierInput = Edit<z.output<typeof changeTierInput>>

export const adjustBalanceInput = supportAccountInput.extend({
  direction: z.enum(['give', 'take']),
  credits: creditInput.shape.credits,
  reason,
})
export type AdjustBalanceInput = z.output<typeof adjustBalanceInput>

/** Days after which a proposal expires. */
export const APPROVAL_DAYS = 7

export const resolveApprovalInput = supportAccountInput
  .extend({
    approvalId: id,
    approve: z.boolean(),
    declineReason: reason.optional(),
  })
  .refine(({ approve, declineReason }) => approve || declineReason !== undefined, { path: ['declineReason'], message: 'Enter a reason.' })
export type ResolveApprovalInput = z.output<typeof resolveApprovalInput>

export const beginOwnerViewInput = supportAccountInput.extend({ reason })
export type BeginOwnerViewInput = z.output<typeof beginOwnerViewInput>

const cursor = z.string().max(500).optional()

export const notesInput = supportAccountInput.extend({ cursor })
export type NotesInput = z.output<typeof notesInput>

export const MAX_NOTE = 4_000
const note = text('Enter a note.')
  .trim()
  .min(1, 'Enter a note.')
  .max(MAX_NOTE, 'A note can have at most 4,000 characters.')
  .refine(isStorable, NOT_STORABLE)

export const noteFormInput = z.object({ body: note })
export const addNoteInput = supportAccountInput.extend(noteFormInput.shape)
export type AddNoteInput = z.output<typeof addNoteInput>
export const noteIdInput = supportAccountInput.extend({ noteId: id })
/** `expected`: the text that was shown before the edit. */
export const editNoteInput = noteIdInput.extend({ body: note, expected: z.string().max(MAX_NOTE) })
export type EditNoteInput = z.output<typeof editNoteInput>

export const timelineInput = supportAccountInput.extend({ kinds: z.array(z.enum(TIMELINE_KIND_NAMES)).max(20).default([]), cursor })
export type TimelineInput = z.output<typeof timelineInput>

export const supportAuditInput = auditListInput.safeExtend(supportAccountInput.shape)
export type SupportAuditInput = z.output<typeof supportAuditInput>

export const suspendInput = supportAccountInput.extend({ suspended: z.boolean(), reason })
export type SuspendInput = z.output<typeof suspendInput>

export const personOfAccountInput = supportAccountInput.extend({
  userId: id,
  what: z.enum(['suspend', 'restore', 'end-sessions']),
  reason,
})
export type PersonOfAccountInput = z.output<typeof personOfAccountInput>

export const takeDownInput = supportVideoInput.extend({ takenDown: z.boolean(), reason })
export type TakeDownInput = z.output<typeof takeDownInput>

export const supportResolveQuotaRequestInput = resolveQuotaRequestInput.extend(supportAccountInput.shape)
export type SupportResolveQuotaRequestInput = z.output<typeof supportResolveQuotaRequestInput>

export const supportDeliveriesInput = deliveriesInput.extend(supportAccountInput.shape)
export type SupportDeliveriesInput = z.output<typeof supportDeliveriesInput>
export const supportDeliveryInput = deliveryInput.extend(supportAccountInput.shape)
export type SupportDeliveryInput = z.output<typeof supportDeliveryInput>

export const ACTIVITY_DAYS = [1, 7, 30] as const
export type ActivityDays = (typeof ACTIVITY_DAYS)[number]
export const ACTIVITY_SORTS = ['requests', 'issued', 'refused', 'failed', 'storage', 'name'] as const
export type ActivitySort = (typeof ACTIVITY_SORTS)[number]

export const accountActivityInput = z.object({
  days: z.literal(ACTIVITY_DAYS).default(7),
  sort: z.enum(ACTIVITY_SORTS).default('requests'),
  /** Counted from 0. */
  page: z.int().min(0).max(10_000).default(0),
})
export type AccountActivityInput = z.output<typeof accountActivityInput>
