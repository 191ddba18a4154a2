import { z } from 'zod'
import { pageCursor, storedId, text } from '../../../platform/text/schema.ts'

const cursor = { cursor: pageCursor.optional() }

export const peopleInput = z.object(cursor)
export const peopleCountsInput = z.object({ videoId: storedId(80).optional() })
/** Any text: one that is no ID finds nobody. */
export const findPersonInput = z.object({ id: text().min(1, 'Enter the whole ID.').max(128) })
export const personInput = z.object({ reference: z.string().regex(/^vwr_[\w-]{1,80}$/, 'This is not the reference of a viewer.') })
export const personVideosInput = personInput.extend(cursor)
export const watchersInput = z.object({ videoId: storedId(80), ...cursor })
