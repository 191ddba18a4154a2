import { z } from 'zod'
import { isStorable, NOT_STORABLE, oneLine, text } from '../../../platform/text/schema.ts'
import { writeListQuery } from '../../videos/address-schema.ts'
import { readListQuery } from '../../videos/list/list-schema.ts'

/** Maximum number of saved filters, for a member and for the team. */
export const MAX_SAVED_FILTERS = 50

export const saveFilterInput = z.object({
  name: oneLine(text().trim().min(1, 'Enter a name.').max(60, 'A name can have at most 60 characters.')),
  /** The query of the list's URL, stored in canonical form. */
  query: text()
    .max(4_000)
    .transform((text) => writeListQuery(readListQuery(new URLSearchParams(text))))
    .refine((text) => text !== '', 'Choose a filter or a sort order first.'),
  /** Whether all members of the account see it. */
  shared: z.boolean(),
})
export type SaveFilterInput = z.output<typeof saveFilterInput>

export const savedFilterInput = z.object({ filterId: z.string().max(64).refine(isStorable, NOT_STORABLE) })
