import type { schemaResolver } from '@mantine/form'

type Schema = Parameters<typeof schemaResolver>[0]

// The sentences about invalid values come with the schema.
const loadMessages = () => import('#server/platform/text/schema-messages')

/** Wraps a schema for `schemaResolver` and loads it with the first form it checks: most visits to a page submit none. */
export const lazySchema = (load: () => Promise<Schema>): Schema => ({
  '~standard': {
    version: 1,
    vendor: 'lazy',
    validate: async (value) => (await Promise.all([load(), loadMessages()]))[0]['~standard'].validate(value),
  },
})
