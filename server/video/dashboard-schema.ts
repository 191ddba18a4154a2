import { z } from 'zod'
import { videoStatus } from './schema.ts'

export const title = z
  .string('Give the video a title.')
  .trim()
  .min(1, 'Give the video a title.')
  .max(200, 'A title has at most 200 characters.')

/** An empty description is none. */
export const description = z
  .string()
  .trim()
  .max(5_000, 'A description has at most 5,000 characters.')
  .nullish()
  .transform((text) => text || null)

export const videoIdInput = z.object({ videoId: z.string().min(1).max(64) })

export const editVideoInput = videoIdInput.extend({ title, description })
export type EditVideoInput = z.output<typeof editVideoInput>

/** `DELETED` shows what can still be restored. */
export const listFilter = z.enum([...videoStatus.options, 'DELETED'])

export const dashboardListInput = z.object({
  filter: listFilter.optional(),
  /** Part of a title, or of an id. */
  search: z.string().trim().max(200).optional(),
  /** Id of the last row of the page before. */
  cursor: z.string().max(64).optional(),
})
export type DashboardListInput = z.output<typeof dashboardListInput>
