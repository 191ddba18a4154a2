import type { Snapshot } from '#server/modules/audit/read'
import { formatCredits } from '#server/modules/billing/price-schema'
import { formatCount, formatTime } from '../../_ui/format'
import { useTimeZone } from '../../_ui/time-zone'
import classes from './AuditLog.module.css'

/** Shows a change field by field: the old value, struck out, and the new one. */
export function Diff({ before, after }: { before: Snapshot | null; after: Snapshot | null }) {
  const [zone] = useTimeZone()
  const formatValue = (field: string, value: unknown) => (isTime(value) ? formatTime(new Date(value), zone) : plainValue(field, value))
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  // For a created or deleted object, empty fields carry no information.
  const changed = fields.filter((field) =>
    before && after
      ? formatValue(field, before[field]) !== formatValue(field, after[field])
      : formatValue(field, (before ?? after)?.[field]) !== NOTHING,
  )
  if (changed.length === 0) return <span className={classes.nothing}>–</span>
  return (
    <dl className={classes.diff}>
      {changed.map((field) => (
        <div key={field}>
          <dt>{title(field)}</dt>
          <dd>
            {before && field in before && <del>{formatValue(field, before[field])}</del>}
            {after && field in after && <ins>{formatValue(field, after[field])}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const NOTHING = 'none'

/** Formats `threeDays` as three days. */
const spaced = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

/** Formats `embedDomains` as embed domains and `eventId` as event ID. */
const title = (field: string) =>
  spaced(field).replace(/\b(?:id|ids|ip|url|totp)\b/g, (word) => (word === 'ids' ? 'IDs' : word.toUpperCase()))

/** Formats `DEVELOPER` as Developer, as roles, tiers and statuses are stored, and `threeDays` as three days. */
function constant(text: string): string {
  if (/^[A-Z]{3,}$/.test(text)) return text.charAt(0) + text.slice(1).toLowerCase()
  return /^[a-z]+(?:[A-Z][a-z]+)+$/.test(text) ? spaced(text) : text
}

/** Returns whether a value is a time as stored, such as 2026-11-25T12:00:00.000Z. */
const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z$/.test(value)

/** Fields that hold decimals of credits. */
const CREDITS = ['balance', 'credits', 'lowBalanceThreshold', 'monthCap']

function plainValue(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return NOTHING
  if (Array.isArray(value)) return value.length === 0 ? NOTHING : value.join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatCount(value)
  if (CREDITS.includes(field)) return formatCredits(String(value))
  return typeof value === 'object' ? JSON.stringify(value) : constant(String(value))
}
