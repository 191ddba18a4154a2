import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config.ts'
import { query, type Runner, transaction } from '../../platform/database.ts'
import { mediaVolumeBytes } from '../../platform/disk-space.ts'
import { accountLimit } from '../accounts/limit.ts'
import { type StorageUsage, type StoredSums, storageLimits, storageOf, storageOfAll } from '../accounts/storage.ts'
import { bytesText, overLimit, overStorage } from '../accounts/storage-quota.ts'
import { refuseLongQueue } from '../videos/queue-limit.ts'
import { uploadPlace } from './place.ts'

/** Advisory lock of the check of an upload against the limits of the installation. */
const ADMISSION_LOCK = 72_707_372

interface Admission {
  /** Returns whether an earlier request reserved the space: then nothing is reserved. Runs under the lock of the account's row. */
  isRepeated?(on: Runner): Promise<boolean>
  /** Whether the upload has reserved space, which is replaced. */
  isReplacement?: true
  /** Runs in the transaction that reserves the space. */
  also?(on: Runner): Promise<unknown>
}

/**
 * Reserves space for a new upload: its announced bytes count from now on. Concurrent uploads are checked one after another, each
 * including those before it. Errors: TOO_MANY_ATTEMPTS (`details.limit`) when its account or the installation may have no more,
 * STORAGE_FULL when the disk could not hold all announced bytes and the reserve.
 */
export async function admitUpload(
  { accountId }: Pick<AccountCtx, 'accountId'>,
  { id, size }: { id: string; size: number | undefined },
  { isRepeated, isReplacement, also }: Admission = {},
): Promise<void> {
  const bytes = size ?? env().MAX_UPLOAD_BYTES
  const place = uploadPlace()
  const loading = [place.name(), storageLimits(accountId), place.measure(), accountLimit(accountId, 'pendingVideos')] as const
  const [folder, limits, refuseFullDisk, mostPending] = await Promise.all(loading)
  await transaction(async (on) => {
    // Locks the account before the installation, always in this order, to prevent deadlocks.
    await query('lock-account', 'SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId], on)
    if (await isRepeated?.(on)) return
    if (isReplacement) await query('give-up-place', 'DELETE FROM upload WHERE id = $1', [id], on)
    const stored = await storageOf(accountId, on)
    refuseAccount(stored, limits, bytes)
    refuseLongQueue({ queued: await queuedBy(accountId, on), uploads: stored.uploads, most: mostPending })
    await query('lock-places', 'SELECT pg_advisory_xact_lock($1)', [ADMISSION_LOCK], on)
    refuseInstallation(await storageOfAll(on), bytes)
    await refuseFullDisk(on, bytes)
    await query(
      'take-place',
      'INSERT INTO upload (id, account_id, folder, bytes) VALUES ($1, $2, $3, $4)',
      [id, accountId, folder, bytes],
      on,
    )
    await also?.(on)
  })
}

function refuseAccount(stored: StoredSums, limits: StorageUsage['limits'], bytes: number): void {
  const { MAX_UNFINISHED_UPLOADS: most, UPLOAD_EXPIRY_HOURS: hours } = env()
  const kept = `${hours} ${hours === 1 ? 'hour' : 'hours'}`
  if (stored.uploads >= most)
    throw overLimit(
      'uploads',
      `This account has reached its limit of ${most} unfinished uploads. Finish or cancel one of them. Uploads without progress are removed after ${kept}.`,
    )
  if (stored.videos + stored.uploads >= limits.videos)
    throw overLimit(
      'videos',
      `This account has ${count(stored.videos + stored.uploads)} of ${count(limits.videos)} videos. Delete videos that you no longer need (they count until they are purged after 7 days), or ask your operator for a higher limit.`,
    )
  const unfinished = stored.unfinishedBytes + bytes
  if (unfinished > limits.unfinishedBytes)
    throw overLimit(
      'unfinishedBytes',
      `With this file the unfinished uploads of this account would total ${bytesText(unfinished)}, and the limit is ${bytesText(limits.unfinishedBytes)}. Finish or cancel another upload first. Uploads without progress are removed after ${kept}.`,
    )
  if (stored.totalBytes + bytes > limits.totalBytes) throw overStorage(stored.totalBytes + bytes, limits.totalBytes)
}

function refuseInstallation(stored: StoredSums, bytes: number): void {
  const { TOTAL_VIDEOS, TOTAL_STORAGE_BYTES, TOTAL_UNFINISHED_BYTES = Math.floor(mediaVolumeBytes() / 2) } = env()
  const over =
    stored.videos + stored.uploads >= TOTAL_VIDEOS ||
    stored.unfinishedBytes + bytes > TOTAL_UNFINISHED_BYTES ||
    (TOTAL_STORAGE_BYTES !== undefined && stored.totalBytes + bytes > TOTAL_STORAGE_BYTES)
  // Hides the installation's usage from the account.
  if (over) throw new ServiceError('STORAGE_FULL', { details: { limit: 'installation' } })
}

async function queuedBy(accountId: string, on: Runner): Promise<number> {
  const [row] = await query<{ queued: number }>(
    'queued-by',
    'SELECT count(*)::int AS queued FROM transcode_queue WHERE account_id = $1',
    [accountId],
    on,
  )
  return row?.queued ?? 0
}

const count = (value: number) => value.toLocaleString('en')
