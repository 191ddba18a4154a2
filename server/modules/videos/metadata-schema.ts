import { z } from 'zod'
import type { Edit } from '../../errors.ts'
import { isStorable, NOT_STORABLE, oneLine, text } from '../../platform/text/schema.ts'
import { descriptionText, title, videoIdInput } from './schema.ts'

/** Maximum number of names in a video's metadata, and of characters in a name and in a value. */
export const MAX_METADATA_KEYS = 50
export const MAX_METADATA_NAME = 40
export const MAX_METADATA_VALUE = 500
export const MAX_EXTERNAL_ID = 200

export type Metadata = Record<string, string>

export const TOO_MUCH_METADATA = `Metadata can have at most ${MAX_METADATA_KEYS} names.`

/** Returns what is wrong with a metadata name, or undefined. */
export function metadataNameProblem(name: string): string | undefined {
  if (name === '') return 'A metadata name must not be empty.'
  if (name.length > MAX_METADATA_NAME) return `A metadata name can have at most ${MAX_METADATA_NAME} characters.`
  // `metadata[name]` names one of them in a URL.
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

/** What the API description says about a name, since it does not include refinements. */
const NAME = { type: 'string', minLength: 1, maxLength: MAX_METADATA_NAME } as const

const value = text('A metadata value must be a string.')
  .max(MAX_METADATA_VALUE, `A metadata value can have at most ${MAX_METADATA_VALUE} characters.`)
  .refine(isStorable, NOT_STORABLE)

/** All metadata of a video, as stored. */
export const metadata = z
  .record(text(), value.min(1, 'Enter a value, or remove the name.'), 'Metadata must be an object whose values are strings.')
  .superRefine(checkNames)
  .refine((texts) => Object.keys(texts).length <= MAX_METADATA_KEYS, TOO_MUCH_METADATA)
  .meta({ maxProperties: MAX_METADATA_KEYS, propertyNames: NAME })

/** An empty one becomes null. */
export const externalId = oneLine(
  text('An externalId must be a string.').trim().max(MAX_EXTERNAL_ID, `An externalId can have at most ${MAX_EXTERNAL_ID} characters.`),
)
  .nullable()
  .transform((text) => text || null)

// As in Stripe's API, an empty string in place of the object is the same as null.
const metadataPatch = z.preprocess(
  (given) => (given === '' ? null : given),
  z
    .record(text(), value.nullable(), 'Metadata must be an object whose values are strings.')
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
    .meta({ description: 'Null or an empty string removes it.' }),
  externalId: externalId
    .optional()
    .meta({ description: 'Your own ID, unique among the videos of the account. Null or an empty string removes it.' }),
  metadata: metadataPatch.optional().meta({
    description: `Up to ${MAX_METADATA_KEYS} key–value pairs, with names of up to ${MAX_METADATA_NAME} and values of up to ${MAX_METADATA_VALUE} characters, merged with the stored ones. A null or empty value removes its name; null in place of the object removes all pairs.`,
    examples: [{ course: 'physics-1', lesson: '4' }],
  }),
})
export type PatchVideo = z.output<typeof patchVideoInput>

/** The dashboard replaces all metadata at once. `expected` is what it showed. */
export const setMetadataInput = videoIdInput.extend({
  metadata,
  externalId,
  expected: z.object({ metadata: z.record(z.string(), z.string()), externalId: z.string().nullable() }),
})
export type SetMetadataInput = Edit<z.output<typeof setMetadataInput>>

/** Response to DELETE. */
export const deletedVideo = z
  .object({
    id: z.string(),
    deleted: z.literal(true),
    deletedAt: z.iso.datetime(),
    restorableUntil: z.iso.datetime().meta({ description: 'Until when you can restore the video. After that, we remove its media.' }),
  })
  .meta({
    id: 'DeletedVideo',
    description: 'The video that was deleted.',
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
    .meta({ description: 'An `ETag` of the video. If the video has changed since, the response is 412. `*` matches any version.' }),
})
