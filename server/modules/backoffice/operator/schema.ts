import { z } from 'zod'
import { isStorable, NOT_STORABLE, text } from '../../../platform/text/schema.ts'
import { staffEmailInput } from '../support/schema.ts'
import { ANNOUNCEMENT_LEVEL_NAMES } from './state.ts'

export const MAX_ANNOUNCEMENT = 500

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/

/** A time as ISO 8601 with a time zone; seconds may be left out. */
const time = z
  .string()
  .refine((text) => TIME.test(text) && !Number.isNaN(Date.parse(text)), 'Enter a time as 2027-01-31T20:00Z.')
  .transform((text) => new Date(text))

export const announceInput = z
  .object({
    level: z.enum(ANNOUNCEMENT_LEVEL_NAMES, 'Choose info, warning or critical.').default('info'),
    message: text('Enter a message.')
      .trim()
      .min(3, 'Enter a message.')
      .max(MAX_ANNOUNCEMENT, 'A message can have at most 500 characters.')
      .refine(isStorable, NOT_STORABLE),
    /** Omitted: now. */
    startsAt: time.optional(),
    /** Omitted: until an operator ends it. */
    endsAt: time.optional(),
  })
  .refine(({ startsAt, endsAt }) => !endsAt || endsAt > (startsAt ?? new Date()), {
    path: ['endsAt'],
    message: 'The end must be after the start.',
  })
export type AnnounceInput = z.output<typeof announceInput>

export const announcementIdInput = z.object({
  announcementId: z.string().min(1).max(64).refine(isStorable, 'This is not a valid ID.'),
})
export type AnnouncementIdInput = z.output<typeof announcementIdInput>

/** `password`: the operator's own, as proof of identity before a role changes. */
export const changeRoleInput = staffEmailInput.extend({ password: z.string().max(200) })
export const grantRoleInput = changeRoleInput.extend({ unverified: z.boolean().default(false) })

export const operatorLogInput = z.object({
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'This is not a valid cursor.')
    .optional(),
})
