import { z } from 'zod'
import { isStorable, NOT_STORABLE, text } from '../../platform/text/schema.ts'

export const SEARCH_LONGEST = 100

export const searchInput = z.object({ text: text().trim().min(1).max(SEARCH_LONGEST).refine(isStorable, NOT_STORABLE) })
export type SearchInput = z.output<typeof searchInput>
