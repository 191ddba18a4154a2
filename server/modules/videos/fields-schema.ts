import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../../platform/schema.ts'

const MAX_NAMES = 50

/** Texts of the owner by name, as programs store them next to a video: up to 50, names of 40 characters, values of 500. */
export const metadataSchema = z
  .record(
    z.string().min(1, 'A name cannot be empty.').max(40, 'A name can have at most 40 characters.').refine(isStorable, NOT_STORABLE),
    z.string().max(500, 'A value can have at most 500 characters.').refine(isStorable, NOT_STORABLE),
  )
  .refine((metadata) => Object.keys(metadata).length <= MAX_NAMES, `metadata can have at most ${MAX_NAMES} names.`)
export type VideoMetadata = z.output<typeof metadataSchema>

/** The owner's own id of a video, unique in the account. */
export const externalIdSchema = z
  .string()
  .min(1, 'externalId cannot be empty.')
  .max(255, 'externalId can have at most 255 characters.')
  .refine(isStorable, NOT_STORABLE)

export const descriptionSchema = z
  .string()
  .trim()
  .max(5_000, 'A description can have at most 5,000 characters.')
  .refine(isStorable, NOT_STORABLE)
