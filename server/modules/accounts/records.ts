import type { AccountCtx, AccountId } from '../../context.ts'
import { LIMITS } from '../../limits.ts'
import { query, type Runner, type Tx, transaction } from '../../platform/database.ts'
import { accountLimits } from './limit.ts'
import { bytesText, overLimit } from './storage-quota.ts'

/** Bytes of an account's rows, as the limits of the same names count them. */
export type RecordBytes = Record<(typeof RECORD_LIMITS)[number], number>

const SUMS = `
  SELECT greatest(0, coalesce(sum(metadata_bytes), 0))::float8 AS "metadataBytes", greatest(0, coalesce(sum(event_bytes), 0))::float8 AS "eventBytes",
    coalesce((SELECT bytes FROM audit_chain WHERE account_id = $1), 0)::float8 AS "auditBytes",
    coalesce((SELECT day_bytes FROM audit_chain WHERE account_id = $1 AND day = (service_now() AT TIME ZONE 'UTC')::date), 0)::float8 AS "auditDayBytes"
  FROM record_count WHERE account_id = $1`

/** Returns the bytes of the texts, the webhook events and the audit log of an account. */
export async function recordBytes(accountId: AccountId, on?: Runner): Promise<RecordBytes> {
  const [row] = await query<RecordBytes & Record<string, number>>('record-bytes', SUMS, [accountId], on)
  return row as RecordBytes
}

/** Limits of rows, in the order in which pages show them. */
export const RECORD_LIMITS = ['metadataBytes', 'eventBytes', 'auditBytes', 'auditDayBytes'] as const

/** Returns the bytes of the account's rows and their limits. Every role may read it. */
export async function recordUsage({ accountId }: AccountCtx): Promise<{ used: RecordBytes; limits: RecordBytes }> {
  const [used, limits] = await Promise.all([recordBytes(accountId), accountLimits(accountId, RECORD_LIMITS)])
  return { used, limits }
}

/** What the caller can do about each limit. */
const ADVICE = {
  metadataBytes:
    'Shorten texts or remove metadata of other videos, or delete videos (they count until they are purged after 7 days), or ask your operator for a higher limit.',
  eventBytes: 'Events and deliveries count until their retention ends. Wait, or ask your operator for a higher limit.',
} as const

/**
 * Checks that an account may store `bytes` more of one kind. Takes no lock: concurrent calls may exceed the limit by what one call adds each.
 * Errors: TOO_MANY_ATTEMPTS (`details.limit`).
 */
export async function requireRecordSpace(
  on: Pick<Tx, '$queryRaw'>,
  accountId: AccountId,
  limit: keyof typeof ADVICE,
  bytes: number,
): Promise<void> {
  const [row] = await on.$queryRaw<{ used: number; most: number }[]>`
    SELECT coalesce(sum(CASE ${limit} WHEN 'metadataBytes' THEN metadata_bytes ELSE event_bytes END), 0)::float8 AS used,
      coalesce((SELECT value FROM account_limit WHERE account_id = ${accountId} AND name = ${limit}), ${LIMITS[limit].value})::float8 AS most
    FROM record_count WHERE account_id = ${accountId}`
  if (row && row.used + bytes > row.most) throw overRecords(limit, row.most)
}

/** Returns the error for a change that exceeds a limit of rows. */
export const overRecords = (limit: keyof typeof ADVICE, most: number) =>
  overLimit(limit, `This account has reached its limit “${LIMITS[limit].title}” of ${bytesText(most)}. ${ADVICE[limit]}`)

/** Accounts that are counted in a run of the job. */
const BATCH = 1_000

/**
 * Counts the rows of accounts that earlier versions wrote, once for each account. Adds what is missing in one statement, whose snapshot has rows
 * and their counts alike, so writers need not wait. Runs with the job `storage.count`.
 */
export async function countEarlierRecords(): Promise<void> {
  const due = await query<{ id: string }>('uncounted-records', 'SELECT id FROM account WHERE records_counted_at IS NULL LIMIT $1', [BATCH])
  for (const { id } of due)
    await transaction(async (on) => {
      // The second of two workers waits here, and then finds it counted.
      const mine = await query('count-records', MARK, [id], on)
      if (mine.length > 0) await query('count-earlier-records', COUNT, [id], on)
    })
}

const MARK = 'UPDATE account SET records_counted_at = service_now() WHERE id = $1 AND records_counted_at IS NULL RETURNING id'

/** SQL: the bytes of the account's rows themselves. */
export const COUNTED = `
  (SELECT coalesce(sum(video_text_bytes(v)), 0) FROM video v WHERE account_id = $1)
    + (SELECT coalesce(sum(upload_text_bytes(u)), 0) FROM direct_upload u WHERE account_id = $1) AS metadata,
  (SELECT coalesce(sum(event_bytes(e)), 0) FROM webhook_event e WHERE account_id = $1)
    + (SELECT coalesce(sum(attempt_bytes(a)), 0) FROM webhook_event e JOIN webhook_delivery d ON d.event_id = e.id JOIN webhook_attempt a ON a.delivery_id = d.id
      WHERE e.account_id = $1) AS events`

const COUNT = `
  INSERT INTO record_count (account_id, metadata_bytes, event_bytes)
  SELECT $1, metadata - (SELECT coalesce(sum(metadata_bytes), 0) FROM record_count WHERE account_id = $1),
    events - (SELECT coalesce(sum(event_bytes), 0) FROM record_count WHERE account_id = $1)
  FROM (SELECT ${COUNTED}) AS counted`
