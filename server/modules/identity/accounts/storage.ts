import type { AccountCtx, AccountId } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query, type Runner, type Tx } from '../../../platform/database/database.ts'
import { isLow } from '../../../platform/files/disk-space.ts'
import { accountLimits } from './limit.ts'

/** Stored bytes and counts, including deleted videos that are not purged yet. */
export interface StoredSums {
  originalBytes: number
  /** Renditions, posters, storyboards, and captions with their versions and drafts. */
  renditionBytes: number
  /** Announced sizes of unfinished uploads. */
  unfinishedBytes: number
  /** Sum of the three. */
  totalBytes: number
  videos: number
  uploads: number
}

/** Storage use of an account and its limits. */
interface StorageUsage extends StoredSums {
  limits: { totalBytes: number; videos: number; unfinishedBytes: number }
}

/** Returns the account's current storage use and its limits. Every role may read it. */
export async function storageUsage({ accountId }: AccountCtx): Promise<StorageUsage> {
  const [stored, limits] = await Promise.all([storageOf(accountId), storageLimits(accountId)])
  return { ...stored, limits }
}

/** Returns the storage limits of an account. */
async function storageLimits(accountId: AccountId): Promise<StorageUsage['limits']> {
  const { storageBytes, videos, unfinishedBytes } = await accountLimits(accountId, ['storageBytes', 'videos', 'unfinishedBytes'])
  return { totalBytes: storageBytes, videos, unfinishedBytes }
}

/** SQL: sums of `storage_count` as `Stored`. The caller adds FROM and WHERE. */
const SUMS = `
  SELECT original_bytes AS "originalBytes", rendition_bytes AS "renditionBytes", unfinished_bytes AS "unfinishedBytes",
    original_bytes + rendition_bytes + unfinished_bytes AS "totalBytes", videos, uploads
  FROM (SELECT coalesce(sum(original_bytes), 0)::float8 AS original_bytes, coalesce(sum(rendition_bytes), 0)::float8 AS rendition_bytes,
    coalesce(sum(unfinished_bytes), 0)::float8 AS unfinished_bytes, coalesce(sum(videos), 0)::float8 AS videos,
    coalesce(sum(uploads), 0)::float8 AS uploads FROM storage_count`

/** Returns one account's storage use. */
export async function storageOf(accountId: AccountId, on?: Runner): Promise<StoredSums> {
  const [row] = await query<StoredSums & Record<string, number>>('stored-by-account', `${SUMS} WHERE account_id = $1) s`, [accountId], on)
  return row as StoredSums
}

/** Returns the storage use of all accounts together. */
export async function storageOfAll(on?: Runner): Promise<StoredSums> {
  const [row] = await query<StoredSums & Record<string, number>>('stored-by-all', `${SUMS}) s`, [], on)
  return row as StoredSums
}

/**
 * Folds the rows of each account with several rows into one, and removes sums of zero. One statement, so that a reader sees the rows either
 * before or after; of two concurrent calls the second finds nothing to fold.
 */
export async function mergeStorageRows(): Promise<void> {
  await query('fold-storage', MERGE_ROWS, [])
}

const FIGURES = ['videos', 'original_bytes', 'rendition_bytes', 'uploads', 'unfinished_bytes', 'metadata_bytes', 'event_bytes']
const MERGE_ROWS = `
  WITH gone AS (
    DELETE FROM storage_count WHERE account_id IN (SELECT account_id FROM storage_count GROUP BY account_id HAVING count(*) > 1)
    RETURNING *)
  INSERT INTO storage_count (account_id, ${FIGURES.join(', ')})
  SELECT account_id, ${FIGURES.map((name) => `sum(${name})`).join(', ')} FROM gone GROUP BY account_id
  HAVING (${FIGURES.map((name) => `sum(${name})`).join(', ')}) IS DISTINCT FROM (${FIGURES.map(() => '0::numeric').join(', ')})`

/**
 * Checks that the account may store a small file, such as captions. Errors: TOO_MANY_ATTEMPTS (`details.limit`) beyond the account's limit,
 * STORAGE_FULL while the reserve is not free. Takes no lock: concurrent files of a few megabytes may exceed the limit together.
 */
export async function requireStorage({ accountId }: Pick<AccountCtx, 'accountId'>, bytes: number): Promise<void> {
  const [{ totalBytes }, limits] = await Promise.all([storageOf(accountId), storageLimits(accountId)])
  if (totalBytes + bytes > limits.totalBytes) throw overStorage(totalBytes + bytes, limits.totalBytes)
  if (await isLow())
    throw new ServiceError('STORAGE_FULL', {
      message: 'The service is out of storage. Try again later, or contact your operator.',
    })
}

/** Returns the error for a file that exceeds the account's storage limit. */
export function overStorage(totalStored: number, limit: number): ServiceError {
  return overLimit(
    'storageBytes',
    `With this file, the account would store ${bytesText(totalStored)}, and its limit is ${bytesText(limit)}. Delete videos that you no longer need (storage is freed when they are purged after 7 days), or ask your operator for a higher limit.`,
  )
}

/** Seconds after which a program may try again: people have to delete something or raise the limit. */
const RETRY_AFTER_SEC = 3_600

/** Returns the error for one of an account's limits. `details.limit` has its name for API clients. */
export const overLimit = (limit: string, message: string) =>
  new ServiceError('TOO_MANY_ATTEMPTS', { message, details: { limit }, retryAfter: RETRY_AFTER_SEC })

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']
/** Formats bytes for display, with at most one decimal: 1.5 GB. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${(bytes / 1_000 ** power).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[power]}`
}

/** The wallet's row, locked for the rest of the transaction. Amounts in micro-credits. */
export interface LockedWallet {
  accountId: string
  balance: bigint
  posted: bigint
  entries: number
  head: string
  lowBalanceThreshold: bigint | null
  /**
   * The database's clock once the lock was acquired, in whole milliseconds. Never before the last entry's, so that entries are also ordered
   * by time.
   */
  now: Date
}

/** Locks the wallet, so that all changes to its balance wait, in every process. */
export async function lockWallet(tx: Tx, accountId: string): Promise<LockedWallet> {
  const [row] = await tx.$queryRaw<Omit<LockedWallet, 'now'>[]>`
    SELECT account_id AS "accountId", balance, posted, entries, encode(head, 'hex') AS head, low_balance_threshold AS "lowBalanceThreshold"
    FROM wallet WHERE account_id = ${accountId} FOR UPDATE`
  if (!row) throw new Error(`no wallet for ${accountId}`)
  // A separate statement, because the previous one may have read the clock and the entries before it waited.
  const [clock] = await tx.$queryRaw<{ now: Date }[]>`
    SELECT GREATEST(service_clock(),
      (SELECT at FROM ledger_entry WHERE account_id = ${accountId} AND seq = ${row.entries})) AS now`
  return { ...row, ...(clock as { now: Date }) }
}
