import '#server/platform/text/schema-messages'
import { byField } from './form-errors'

/** Returns the schema's messages by field, for a form's `validate`; empty when the input is valid. */
export function schemaErrors({
  error,
}: {
  error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined
}): Record<string, string> {
  return byField((error?.issues ?? []).map(({ path, message }) => ({ field: String(path[0]), message })))
}
