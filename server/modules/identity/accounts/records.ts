import type { AccountCtx, AccountId } from '../../../context.ts'
import { LIMITS } from '../../../limits.ts'
import { query, type Runner, type Tx } from '../../../platform/database/database.ts'
import { accountLimits } from './limit.ts'
import { bytesText, overLimit } from './storage.ts'

/** Bytes of an account's rows, as the limits of the same names count them. */
export type RecordBytes = Record<(typeof RECORD_LIMITS)[number], number>

const SUMS = `
  SELECT greatest(0, coalesce(sum(metadata_bytes), 0))::float8 AS "metadataBytes", greatest(0, coalesce(sum(event_bytes), 0))::float8 AS "eventBytes",
    coalesce((SELECT bytes FROM audit_chain WHERE account_id = $1), 0)::float8 AS "auditBytes",
    coalesce((SELECT day_bytes FROM audit_chain WHERE account_id = $1 AND day = (service_now() AT TIME ZONE 'UTC')::date), 0)::float8 AS "auditDayBytes"
  FROM storage_count WHERE account_id = $1`

/** Returns the bytes of an account's video metadata, webhook events and audit log. */
export async function recordBytes(accountId: AccountId, on?: Runner): Promise<RecordBytes> {
  const [row] = await query<RecordBytes & Record<string, number>>('record-bytes', SUMS, [accountId], on)
  return row as RecordBytes
}

/** Limits on rows, in the order in which pages show them. */
export const RECORD_LIMITS = ['metadataBytes', 'eventBytes', 'auditBytes', 'auditDayBytes'] as const

/** Returns the bytes of the account's rows and their limits. Every role may read it. */
export async function recordUsage({ accountId }: AccountCtx): Promise<{ used: RecordBytes; limits: RecordBytes }> {
  const [used, limits] = await Promise.all([recordBytes(accountId), accountLimits(accountId, RECORD_LIMITS)])
  return { used, limits }
}

/** What the caller can do about each limit. */
const ADVICE = {
  metadataBytes:
    'Shorten descriptions or remove metadata, delete videos (they count until they are purged after 7 days), or ask your operator for a higher limit.',
  eventBytes: 'Events and deliveries count for as long as they are kept. Wait, or ask your operator for a higher limit.',
} as const

/**
 * Checks that an account may store `bytes` more of one kind. Takes no lock: concurrent calls may exceed the limit by what each one adds.
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
    FROM storage_count WHERE account_id = ${accountId}`
  if (row && row.used + bytes > row.most) throw overRecords(limit, row.most)
}

/** Returns the error for a change that exceeds a limit of rows. */
export const overRecords = (limit: keyof typeof ADVICE, most: number) =>
  overLimit(limit, `This account has reached the limit “${LIMITS[limit].title}” of ${bytesText(most)}. ${ADVICE[limit]}`)
