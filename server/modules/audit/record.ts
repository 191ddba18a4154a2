import { type ActionName, REFUSED_AT } from '../../audit-actions.ts'
import { type AccountCtx, actorName } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { LIMITS } from '../../limits.ts'
import type { Tx } from '../../platform/database/database.ts'
import { megabytes } from '../../platform/megabytes.ts'
import { sha256 } from '../../platform/secrets/crypto.ts'
import { securityEvent } from '../../security-events.ts'
import { securityLine } from './security-line.ts'

export type Snapshot = { readonly [field: string]: string | number | boolean | null | readonly string[] }

/**
 * One change. `action` is listed in server/audit-actions.ts, `subject` is the changed object's ID. Snapshots hold only the relevant fields.
 */
export interface Change {
  action: ActionName
  subject: string
  before?: Snapshot
  after?: Snapshot
}

type Who = Pick<AccountCtx, 'accountId' | 'actor'> & Partial<Pick<AccountCtx, 'requestId' | 'address'>>

/**
 * Writes a change's audit row in the same transaction, so that neither exists without the other, and a line to the security log if
 * `SECURITY_EVENTS` lists it. Snapshots never contain a secret: no key value, password or hash. Errors: TOO_MANY_ATTEMPTS for an action in
 * `REFUSED_AT` while the account's log is full.
 */
export async function record(tx: Tx, ctx: Who, change: Change): Promise<void> {
  await requireAuditSpace(tx, ctx, change.action)
  await insertEntry(tx, ctx, change)
  if (securityEvent(change.action)?.about !== 'account') return
  const { accountId, actor, requestId, address } = ctx
  securityLine(change.action, { remote: address }, { accountId, actor: actorName(actor), subject: change.subject, requestId })
}

/** Writes only the audit row. For `recordSecurity`, which writes one line for several accounts. */
export async function insertEntry(tx: Tx, ctx: Pick<AccountCtx, 'accountId' | 'actor'>, change: Change): Promise<void> {
  const { actor } = ctx
  const actorEmail = 'email' in actor ? actor.email : null
  const { action, subject, before, after } = change
  const snapshots = { ...(before && { before: shorten(before) }), ...(after && { after: shorten(after) }) }
  await tx.auditEntry.create({ data: { accountId: ctx.accountId, actor: actorName(actor), actorEmail, action, subject, ...snapshots } })
}

/** Seconds after which a program may try again when the whole log is full: people raise the limit. */
const RETRY_AFTER_SEC = 3_600

interface Space {
  total: number
  mostTotal: number
  today: number
  mostToday: number
  untilTomorrow: number
}

/**
 * Checks that an account's audit log has room for a change by a member or a key, so that nothing changes without an entry. Takes no lock:
 * concurrent changes may exceed a limit by one entry each. Errors: TOO_MANY_ATTEMPTS (`details.limit`), with `retryAfter` up to the next
 * UTC day.
 */
async function requireAuditSpace(tx: Tx, { accountId, actor }: Pick<AccountCtx, 'accountId' | 'actor'>, action: ActionName): Promise<void> {
  const factor = REFUSED_AT[action]
  if (factor === undefined || (actor.kind !== 'user' && actor.kind !== 'key')) return
  const [space] = await tx.$queryRaw<Space[]>`
    SELECT bytes::float8 AS total, CASE WHEN day = now.at::date THEN day_bytes ELSE 0 END::float8 AS today,
      ceil(extract(epoch FROM now.at::date + 1 - now.at))::int AS "untilTomorrow",
      COALESCE((SELECT value FROM account_limit WHERE account_id = ${accountId} AND name = 'auditBytes'), ${LIMITS.auditBytes.value})::float8
        AS "mostTotal",
      COALESCE((SELECT value FROM account_limit WHERE account_id = ${accountId} AND name = 'auditDayBytes'), ${LIMITS.auditDayBytes.value})::float8
        AS "mostToday"
    FROM audit_chain, (SELECT service_now() AT TIME ZONE 'UTC' AS at) AS now WHERE account_id = ${accountId}`
  if (!space) return
  const { total, mostTotal, today, mostToday, untilTomorrow } = space
  if (today >= mostToday * factor) {
    const message = `The audit log of this account has reached its limit of ${megabytes(mostToday)} a day, so nothing was changed. You can make changes again after midnight UTC. Until then, you can still revoke or delete keys, links, members and videos.`
    throw new ServiceError('TOO_MANY_ATTEMPTS', { message, details: { limit: 'auditDayBytes' }, retryAfter: untilTomorrow })
  }
  if (total >= mostTotal * factor) {
    const message = `The audit log of this account has reached its limit of ${megabytes(mostTotal)}, so nothing was changed. Ask your operator for a higher limit. You can still revoke or delete keys, links, members and videos.`
    throw new ServiceError('TOO_MANY_ATTEMPTS', { message, details: { limit: 'auditBytes' }, retryAfter: RETRY_AFTER_SEC })
  }
}

/** Characters that a snapshot's texts may have in total before they are cut, and that each keeps at least. */
const TOTAL = 4_000
const LEAST = 80

/**
 * Returns a snapshot with long texts cut, noting their length in characters and the first half of the SHA-256 (hex) of the whole text in
 * UTF-8. A single text of 4,000 characters stays whole, and of 50 metadata values each keeps its start.
 */
export function shorten<Value>(snapshot: Readonly<Record<string, Value>>): Record<string, Value | string> {
  const texts = Object.values(snapshot).filter((value) => typeof value === 'string').length
  const most = Math.max(LEAST, Math.floor(TOTAL / texts))
  return Object.fromEntries(Object.entries(snapshot).map(([name, value]) => [name, typeof value === 'string' ? cut(value, most) : value]))
}

function cut(text: string, most: number): string {
  const note = ` … (${text.length} characters, SHA-256 ${sha256(text).toString('hex').slice(0, 32)})`
  // Half a surrogate pair is not text.
  const short = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') + note
  return short.length < text.length ? short : text
}
