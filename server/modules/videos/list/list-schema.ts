import { z } from 'zod'
import { dayRangeFields, isStorable, NOT_STORABLE, text } from '../../../platform/text/schema.ts'
import { LIST_TEXTS } from '../address-schema.ts'
import { videoStatus } from '../schema.ts'
import { filterQuery } from './filter-schema.ts'

/** `DELETED` lists the videos that can be restored. */
export const listFilter = z.enum([...videoStatus.options, 'DELETED'])
export type ListFilter = z.output<typeof listFilter>

export const listSort = z.enum(['newest', 'oldest', 'title', 'longest'])
export type ListSort = z.output<typeof listSort>

/** What the dashboard's list shows: the API's filters, and its own. */
export const listSelection = z.object({
  filter: listFilter.optional(),
  /** Part of a title, or an id. */
  search: text().trim().max(200).refine(isStorable, NOT_STORABLE).optional(),
  /** ID of a collection that the videos are in. */
  collection: z.string().max(64).refine(isStorable, NOT_STORABLE).optional(),
  externalId: filterQuery.shape.externalId,
  /** Words that are said within one caption. */
  transcript: filterQuery.shape.transcript,
  metadata: filterQuery.shape.metadata,
  /** The UTC days of creation. */
  ...dayRangeFields,
})
export type ListSelection = z.output<typeof listSelection>

export const dashboardListInput = listSelection.extend({
  sort: listSort.optional(),
  /** `nextCursor` of the previous page. */
  cursor: z.string().max(2_000).optional(),
})
export type DashboardListInput = z.output<typeof dashboardListInput>

/** What a list's URL says. */
export type ListQuery = Omit<DashboardListInput, 'cursor'>

const PAIR = /^metadata\[(.+)\]$/s

/** Reads the query of a list's URL. Leaves out empty and invalid parameters. */
export function readListQuery(parameters: URLSearchParams): ListQuery {
  const query: Record<string, unknown> = {}
  for (const name of LIST_TEXTS) {
    const text = parameters.get(name)
    const read = text ? dashboardListInput.shape[name].safeParse(text) : undefined
    if (read?.success && read.data) query[name] = read.data
  }
  const pairs = [...parameters].flatMap(([name, text]) => {
    const key = PAIR.exec(name)?.[1]
    return key && text ? [[key, text] as const] : []
  })
  const metadata = pairs.length > 0 ? filterQuery.shape.metadata.safeParse(Object.fromEntries(pairs)) : undefined
  if (metadata?.success && metadata.data) query.metadata = metadata.data
  return query
}
