interface Problem {
  path: string
  message: string
}

/** An error as the server sends it; `details` names the invalid fields. */
interface Refusal {
  message: string
  data?: { details?: unknown } | null
}

/** Returns the schema's messages by field, for `error` props; empty when the input is valid. */
export function schemaErrors({
  error,
}: {
  error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined
}): Record<string, string> {
  return Object.fromEntries((error?.issues ?? []).reverse().map(({ path, message }) => [String(path[0]), message]))
}

/** Returns the fields that a refusal names with their messages, for `form.setErrors`; undefined when it names none. */
export function fieldErrors(error: Refusal): Record<string, string> | undefined {
  const details = error.data?.details
  if (!Array.isArray(details) || details.length === 0) return undefined
  return Object.fromEntries((details as Problem[]).map(({ path, message }) => [path, message]))
}
