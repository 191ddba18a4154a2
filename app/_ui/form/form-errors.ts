interface Problem {
  path: string
  message: string
}

/** An error as the server sends it; `details` names the invalid fields. */
interface Refusal {
  message: string
  data?: { details?: unknown } | null
}

/** Returns the first message of each field, by the field's name: `list.0` belongs to `list`. */
export const byField = (problems: { field: string; message: string }[]): Record<string, string> =>
  Object.fromEntries(problems.map(({ field, message }) => [field, message]).reverse())

/** Returns the fields that a refusal names with their messages; undefined when it names none. */
export function fieldErrors(error: Refusal): Record<string, string> | undefined {
  const details = error.data?.details
  if (!Array.isArray(details) || details.length === 0) return undefined
  return byField((details as Problem[]).map(({ path, message }) => ({ field: path.split('.')[0] as string, message })))
}

/** Returns an `onError` that shows the messages of a refusal at the fields it names; `FormError` shows all others. */
export const showAtFields = (form: { setErrors: (errors: Record<string, string>) => void }) => (error: Refusal) =>
  form.setErrors(fieldErrors(error) ?? {})

/** Returns what to show above a form with these fields: the error's message, or its messages about values without a field. */
export function formMessage(error: Refusal, fields: string[]): string {
  const named = fieldErrors(error)
  if (!named) return error.message
  return Object.entries(named)
    .flatMap(([field, message]) => (fields.includes(field) ? [] : message))
    .join(' ')
}
