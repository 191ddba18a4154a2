import { restrictKeyInput } from '#server/modules/access/keys/schema'
import { schemaErrors } from '../../../_ui/form/schema-errors'

const DAY_MS = 86_400_000

/** The expiry of a key, as a form's field. */
export interface ExpiryChoice {
  /** Days from now, `never`, or `day` for the end of `day`. */
  expiry: string
  /** `YYYY-MM-DD`, UTC. */
  day: string
}

/** The limits of a key, as a form's fields with the names that the server uses. */
export interface LimitValues {
  expiresAt: ExpiryChoice
  allowedIps: string[]
}

export const NO_LIMITS: LimitValues = { expiresAt: { expiry: 'never', day: '' }, allowedIps: [] }

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
  expiresAt: { expiry: expiresAt ? 'day' : 'never', day: expiresAt?.toISOString().slice(0, 10) ?? '' },
  allowedIps,
})

/** Returns the time that a form's field describes; `held` is the key's current expiry, kept to the second when its day was not changed. */
export function expiryOf({ expiry, day }: ExpiryChoice, held: Date | null = null): Date | null {
  if (expiry === 'never') return null
  if (expiry !== 'day') return new Date(Date.now() + Number(expiry) * DAY_MS)
  if (held && day === held.toISOString().slice(0, 10)) return held
  return new Date(`${day}T23:59:59.999Z`)
}

/** A form changes an expiry that is over only to a later one; an unchanged one is sent as it is. */
const limitsSchema = (held: Date | null) =>
  restrictKeyInput.pick({ allowedIps: true }).extend({
    expiresAt: restrictKeyInput.shape.expiresAt.refine(
      (end) => !end || end.getTime() === held?.getTime() || end.getTime() > Date.now(),
      'This date is in the past. Choose a later date.',
    ),
  })

/** Returns the messages about a form's limits by field; `held` is the key's current expiry. */
export const limitErrors = ({ expiresAt, allowedIps }: LimitValues, held: Date | null = null) =>
  schemaErrors(limitsSchema(held).safeParse({ expiresAt: expiryOf(expiresAt, held), allowedIps }))
