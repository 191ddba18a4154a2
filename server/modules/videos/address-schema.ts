/** The parameters of a list's URL that are plain text. Separate from the schema, which pages would load for them. */
export const LIST_TEXTS = ['filter', 'sort', 'search', 'collection', 'externalId', 'transcript', 'range', 'from', 'to'] as const

type Query = { [Name in (typeof LIST_TEXTS)[number]]?: string | undefined } & { metadata?: Record<string, string> | undefined }

/** Writes the query of a list's URL in canonical form: equal queries give equal texts, and the default is empty. */
export function writeListQuery(query: Query): string {
  const parameters = new URLSearchParams()
  for (const name of LIST_TEXTS) {
    const text = query[name]
    if (text && !(name === 'sort' && text === 'newest')) parameters.set(name, text)
  }
  for (const [name, text] of Object.entries(query.metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)))
    parameters.set(`metadata[${name}]`, text)
  return parameters.toString()
}
