import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../../platform/schema.ts'
import { QUALITIES, title } from '../videos/schema.ts'

/** What a person fills in to upload a video; the form and the server check the same. */
export const uploadInput = z.object({
  title,
  description: z.string().trim().max(5_000, 'A description has at most 5,000 characters.').refine(isStorable, NOT_STORABLE).optional(),
  targetQuality: z.enum(QUALITIES, 'Choose one of the qualities.').default('1080p'),
  /** Whether segments are AES-128 encrypted. tus knows text alone. */
  encrypted: z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]).default(true),
})

/** tus metadata of a new upload: the above and what the browser says of the file. */
export const uploadMetadata = uploadInput.extend({
  filename: z
    .string()
    .trim()
    .default('')
    // Nobody should have to rename a file: what cannot be stored of its name goes.
    .transform((name) => name.split(/[/\\]/).at(-1)?.replaceAll('\0', '').slice(0, 255).toWellFormed() || 'video'),
  filetype: z.string().max(255).optional(),
})
export type UploadMetadata = z.output<typeof uploadMetadata>
