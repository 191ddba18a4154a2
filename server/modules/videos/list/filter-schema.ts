import { z } from 'zod'
import { isStorable, NOT_STORABLE, text, utcTime } from '../../../platform/text/schema.ts'
import { MAX_EXTERNAL_ID, MAX_METADATA_VALUE, metadataNameProblem } from '../metadata-schema.ts'
import { videoStatus } from '../schema.ts'

/** Maximum number of metadata names in one filter. */
export const MAX_METADATA_FILTERS = 5

/** A collection's ID in a body or in a query. */
export const collectionIdInput = z.string('Must be a collection ID.').regex(/^col_\w{1,60}$/, 'This is not a collection ID.')

/** A moment, or a day as one of its times, as an ISO 8601 time in UTC. */
const momentOrDay = (timeOfDay: string) =>
  z.string().transform((text, ctx) => {
    const isDay = z.iso.date().safeParse(text).success
    const isValid = isDay || z.iso.datetime({ offset: true }).safeParse(text).success
    const time = isValid ? utcTime(isDay ? `${text}T${timeOfDay}` : text) : undefined
    if (time) return time
    ctx.addIssue({ code: 'custom', message: 'Use a time such as 2026-11-21T09:00:00Z, or a day such as 2026-11-21.' })
    return z.NEVER
  })

const filterText = (longest: number, tooLong: string) =>
  text().min(1, 'Enter a value.').max(longest, tooLong).refine(isStorable, NOT_STORABLE)

const metadataFilter = z
  .record(text(), filterText(MAX_METADATA_VALUE, `A metadata value can have at most ${MAX_METADATA_VALUE} characters.`), {
    error: 'Use metadata[name]=value.',
  })
  .superRefine((texts, ctx) => {
    const names = Object.keys(texts)
    for (const name of names) {
      const message = metadataNameProblem(name)
      if (message) ctx.addIssue({ code: 'custom', path: [name], message })
    }
    if (names.length > MAX_METADATA_FILTERS)
      ctx.addIssue({ code: 'custom', message: `Filter by at most ${MAX_METADATA_FILTERS} names of metadata.` })
  })

/** Filters of `GET /v1/video`. A video must match all given ones. */
export const filterQuery = z.object({
  status: videoStatus.optional().meta({ description: 'Only videos with this status.', 'x-additive': true }),
  collection: collectionIdInput.optional().meta({ description: 'Only videos in the collection with this ID.', 'x-additive': true }),
  externalId: filterText(MAX_EXTERNAL_ID, `An externalId can have at most ${MAX_EXTERNAL_ID} characters.`)
    .trim()
    .optional()
    .meta({ description: 'The video with this ID of your own.', 'x-additive': true }),
  metadata: metadataFilter.optional().meta({
    description: `Only videos with this value under this metadata name: \`metadata[course]=physics-1\`. Up to ${MAX_METADATA_FILTERS} names.`,
    'x-additive': true,
  }),
  q: filterText(200, 'Search for at most 200 characters.')
    .optional()
    .meta({ description: 'Only videos with this text in their title, regardless of case.', 'x-additive': true }),
  transcript: filterText(200, 'Search for at most 200 characters.').optional().meta({
    description: 'Only videos in which all of these words are said within one caption. Each video lists its first matches in `spoken`.',
    'x-additive': true,
  }),
  createdAfter: momentOrDay('23:59:59.999Z')
    .optional()
    .meta({ description: 'Only videos created after this time, or after this day in UTC.', 'x-additive': true }),
  createdBefore: momentOrDay('00:00:00.000Z')
    .optional()
    .meta({ description: 'Only videos created before this time, or before this day in UTC.', 'x-additive': true }),
  sort: z
    .enum(['newest', 'oldest'])
    .optional()
    .meta({ description: 'Order by creation time; `newest` first by default.', 'x-additive': true }),
})
export type VideoFilters = z.output<typeof filterQuery>
