import { type ActionName, REFUSED_AT } from '../../audit-actions.ts'
import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { LIMITS } from '../../limits.ts'
import type { Tx } from '../../platform/database/database.ts'
import { megabytes } from '../../platform/megabytes.ts'

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
 * Checks that the audit log of an account has room for a change of a member or a key, so that nothing is changed without its entry. Takes no
 * lock: concurrent changes may exceed a limit by one entry each. Errors: TOO_MANY_ATTEMPTS (`details.limit`), with `retryAfter` up to the
 * next UTC day.
 */
export async function requireAuditSpace(
  tx: Tx,
  { accountId, actor }: Pick<AccountCtx, 'accountId' | 'actor'>,
  action: ActionName,
): Promise<void> {
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
    const message = `The audit log of this account has reached its limit of ${megabytes(mostToday)} a day, so nothing was changed. Changes are possible again after midnight UTC; those that revoke or delete keys, links, members or videos always are.`
    throw new ServiceError('TOO_MANY_ATTEMPTS', { message, details: { limit: 'auditDayBytes' }, retryAfter: untilTomorrow })
  }
  if (total >= mostTotal * factor) {
    const message = `The audit log of this account has reached its limit of ${megabytes(mostTotal)}, so nothing was changed. Ask your operator for a higher limit; those that revoke or delete keys, links, members or videos are always possible.`
    throw new ServiceError('TOO_MANY_ATTEMPTS', { message, details: { limit: 'auditBytes' }, retryAfter: RETRY_AFTER_SEC })
  }
}
