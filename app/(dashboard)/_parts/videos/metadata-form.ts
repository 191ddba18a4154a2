import type { FormErrors } from '@mantine/form'
import '#server/platform/text/schema-messages'
import { MAX_METADATA_KEYS, type Metadata, setMetadataInput } from '#server/modules/videos/metadata-schema'

/** What the form of the metadata holds: a row for each name, and the external id, empty for none. */
export interface MetadataValues {
  externalId: string
  rows: { name: string; text: string }[]
}

/** What a video has stored. */
export interface StoredMetadata {
  metadata: Metadata
  externalId: string | null
}

const input = setMetadataInput.pick({ metadata: true, externalId: true })

export const isFull = ({ rows }: MetadataValues): boolean => rows.length >= MAX_METADATA_KEYS

export const metadataValues = ({ metadata, externalId }: StoredMetadata): MetadataValues => ({
  externalId: externalId ?? '',
  rows: Object.entries(metadata).map(([name, text]) => ({ name, text })),
})

/** Returns what a form states. */
export const enteredMetadata = ({ externalId, rows }: MetadataValues): StoredMetadata => ({
  externalId: externalId.trim() || null,
  metadata: Object.fromEntries(rows.map(({ name, text }) => [name, text])),
})

/** Returns the errors of a form at the fields that have them. */
export function metadataErrors(values: MetadataValues): FormErrors {
  const { rows } = values
  const errors: FormErrors = {}
  const result = input.safeParse(enteredMetadata(values))
  for (const { path, message } of result.error?.issues ?? []) errors[fieldOf(rows, path as string[], message)] ??= message
  for (const [at, { name }] of rows.entries())
    if (rows.findIndex((row) => row.name === name) < at) errors[`rows.${at}.name`] ??= 'This name occurs twice.'
  return errors
}

function fieldOf(rows: MetadataValues['rows'], [field, name]: string[], message: string): string {
  const at = rows.findIndex((row) => row.name === name)
  if (field !== 'metadata' || at < 0) return field ?? ''
  return `rows.${at}.${message.includes('name') && !message.includes('value') ? 'name' : 'text'}`
}
