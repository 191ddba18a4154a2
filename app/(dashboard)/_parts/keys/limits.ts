import { addressRange, MAX_RANGES } from '#server/modules/api-keys/schema'

const DAY_MS = 86_400_000

/** The expiry of a key, as a form's fields. */
export interface LimitValues {
  /** Days from now, `never`, or `day` for the end of `day`. */
  expiry: string
  /** `YYYY-MM-DD`, UTC. */
  day: string
  allowedIps: string[]
}

export const NO_LIMITS: LimitValues = { expiry: 'never', day: '', allowedIps: [] }

export const EXPIRIES = [
  { value: 'never', label: 'Never' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'day', label: 'Custom date' },
]

/** Returns a form's values for the current limits of a key. */
export const limitValues = ({ expiresAt, allowedIps }: { expiresAt: Date | null; allowedIps: string[] }): LimitValues => ({
  expiry: expiresAt ? 'day' : 'never',
  day: expiresAt?.toISOString().slice(0, 10) ?? '',
  allowedIps,
})

/** Returns the time that a form's values describe; `held` is the key's current expiry, kept to the second when its day was not changed. */
export function expiryOf({ expiry, day }: LimitValues, held: Date | null = null): Date | null {
  if (expiry === 'never') return null
  if (expiry !== 'day') return new Date(Date.now() + Number(expiry) * DAY_MS)
  if (held && day === held.toISOString().slice(0, 10)) return held
  return new Date(`${day}T23:59:59.999Z`)
}

export function expiryProblem({ expiry, day }: LimitValues): string | null {
  if (expiry !== 'day') return null
  const end = expiryOf({ expiry, day, allowedIps: [] })
  if (!end || Number.isNaN(end.getTime())) return 'Choose a date.'
  return end.getTime() <= Date.now() ? 'This date is in the past. Choose a later date.' : null
}

export function rangesProblem(ranges: string[]): string | null {
  if (ranges.length > MAX_RANGES) return `Enter at most ${MAX_RANGES} addresses and networks.`
  for (const range of ranges) {
    const { error } = addressRange.safeParse(range)
    if (error) return error.issues[0]?.message ?? null
  }
  return null
}
