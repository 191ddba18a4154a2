import { z } from 'zod'
import { isStorable, NOT_STORABLE, oneLine, text } from '../../../platform/text/schema.ts'
import { videoIdInput } from '../../videos/schema.ts'

/** Maximum number of a video's share links that can be used at the same time. */
export const MAX_SHARE_LINKS = 50
/** Maximum lifetime of a share link in hours: a year. */
export const MAX_SHARE_HOURS = 8_760
/** Maximum number of views that a share link can permit. */
export const MAX_SHARE_VIEWS = 1_000_000

export const createShareInput = videoIdInput.extend({
  /** For the list of links. Viewers do not see it. */
  name: oneLine(text().trim().max(100, 'A name can have at most 100 characters.')),
  expiresInHours: z.int().min(1, 'A link must last at least one hour.').max(MAX_SHARE_HOURS, 'A link can last at most a year.'),
  maxViews: z
    .int('Enter a whole number.')
    .min(1, 'Allow at least one view, or leave this empty.')
    .max(MAX_SHARE_VIEWS, 'Allow at most 1,000,000 views, or leave this empty.')
    .nullable(),
  /** Whether sites that preview the link get the title and the poster. */
  unfurls: z.boolean(),
})
export type CreateShareInput = z.output<typeof createShareInput>

export const shareLinkInput = z.object({ linkId: z.string().max(64).refine(isStorable, NOT_STORABLE) })

/** Whether a link opens its video, and why not. */
export const SHARE_STATES = ['active', 'expired', 'revoked', 'used'] as const
export type ShareState = (typeof SHARE_STATES)[number]
