/** An error as the server sends it. */
interface Refusal {
  data?: { code: string; details?: unknown } | null
}

/** Returns the current values, field by field, after a concurrent edit; undefined for any other error. */
export function conflictOf<Fields extends object>(error: Refusal | null): Fields | undefined {
  const details = error?.data?.code === 'CONFLICT' ? error.data.details : undefined
  // Conflicts of another kind name their reason, or have no details.
  const isVersion = typeof details === 'object' && details !== null && !Array.isArray(details) && !('reason' in details)
  return isVersion ? (details as Fields) : undefined
}
