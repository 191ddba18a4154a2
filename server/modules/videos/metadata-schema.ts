import { z } from 'zod'
import type { Edit } from '../../errors.ts'
import { isStorable, NOT_STORABLE, oneLine, text } from '../../platform/text/schema.ts'
import { descriptionText, title, videoIdInput } from './schema.ts'

/** Maximum number of names in a video's metadata, and of characters of a name and of a value. */
export const MAX_METADATA_KEYS = 50
export const MAX_METADATA_NAME = 40
export const MAX_METADATA_VALUE = 500
export const MAX_EXTERNAL_ID = 200

export type Metadata = Record<string, string>

export const TOO_MUCH_METADATA = `Metadata can have at most ${MAX_METADATA_KEYS} names.`

/** Returns what is wrong with a name of metadata; undefined when nothing is. */
export function metadataNameProblem(name: string): string | undefined {
  if (name === '') return 'A metadata name must not be empty.'
  if (name.length > MAX_METADATA_NAME) return `A metadata name can have at most ${MAX_METADATA_NAME} characters.`
  // `metadata[name]` names one of them in an address.
  if (/[[\]]/.test(name)) return 'A metadata name must not contain square brackets.'
  return isStorable(name) ? undefined : NOT_STORABLE
}

/** Not the key of `z.record`, whose message names no cause. */
function checkNames(texts: object, ctx: z.RefinementCtx): void {
  for (const name of Object.keys(texts)) {
    const message = metadataNameProblem(name)
    if (message) ctx.addIssue({ code: 'custom', path: [name], message })
  }
}

/** What the API description says of a name; a refinement is not in it. */
const NAME = { type: 'string', minLength: 1, maxLength: MAX_METADATA_NAME } as const

const value = text('A metadata value must be a text.')
  .max(MAX_METADATA_VALUE, `A metadata value can have at most ${MAX_METADATA_VALUE} characters.`)
  .refine(isStorable, NOT_STORABLE)

/** All metadata of a video, as it is stored. */
export const metadata = z
  .record(text(), value.min(1, 'Enter a value, or remove the name.'), 'Metadata must be an object of texts.')
  .superRefine(checkNames)
  .refine((texts) => Object.keys(texts).length <= MAX_METADATA_KEYS, TOO_MUCH_METADATA)
  .meta({ maxProperties: MAX_METADATA_KEYS, propertyNames: NAME })

/** An empty one becomes null. */
export const externalId = oneLine(
  text('An externalId must be a text.').trim().max(MAX_EXTERNAL_ID, `An externalId can have at most ${MAX_EXTERNAL_ID} characters.`),
)
  .nullable()
  .transform((text) => text || null)

// As in Stripe's API, an empty text in place of the object is the same as null.
const metadataPatch = z.preprocess(
  (given) => (given === '' ? null : given),
  z
    .record(text(), value.nullable(), 'Metadata must be an object of texts.')
    .superRefine(checkNames)
    .meta({ propertyNames: NAME })
    .nullable(),
)

/** Body of PATCH: only the values that change. */
export const patchVideoInput = z.strictObject({
  title: title.optional(),
  description: descriptionText
    .nullable()
    .transform((text) => text || null)
    .optional()
    .meta({ description: 'Null or an empty text removes it.' }),
  externalId: externalId
    .optional()
    .meta({ description: 'An id of yours, unique among the videos of the account. Null or an empty text removes it.' }),
  metadata: metadataPatch.optional().meta({
    description: `Up to ${MAX_METADATA_KEYS} texts of up to ${MAX_METADATA_VALUE} characters by name of up to ${MAX_METADATA_NAME}, merged with the stored ones. A null or empty value removes its name; null in place of the object removes all.`,
    examples: [{ course: 'physics-1', lesson: '4' }],
  }),
})
export type PatchVideo = z.output<typeof patchVideoInput>

/** The dashboard replaces all metadata at once. `expected` is what it displayed. */
export const setMetadataInput = videoIdInput.extend({
  metadata,
  externalId,
  expected: z.object({ metadata: z.record(z.string(), z.string()), externalId: z.string().nullable() }),
})
export type SetMetadataInput = Edit<z.output<typeof setMetadataInput>>

/** Answer of DELETE. */
export const deletedVideo = z
  .object({
    id: z.string(),
    deleted: z.literal(true),
    deletedAt: z.iso.datetime(),
    restorableUntil: z.iso.datetime().meta({ description: 'Until then it can be restored; afterwards its media is purged.' }),
  })
  .meta({
    id: 'DeletedVideo',
    description: 'A video that was deleted.',
    examples: [
      {
        id: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
        deleted: true,
        deletedAt: '2026-11-21T10:00:00.000Z',
        restorableUntil: '2026-11-28T10:00:00.000Z',
      },
    ],
  })

/** Request header of operations that change a video only in the state that the caller has seen. */
export const ifMatchHeaders = z.object({
  'If-Match': z
    .string()
    .optional()
    .meta({ description: 'An `ETag` of the video. The response is 412 when the video has changed since. `*` matches any.' }),
})
