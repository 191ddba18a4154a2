import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config/config.ts'
import { query, type Runner, transaction } from '../../platform/database/database.ts'
import { DURABLE_LATER } from '../../platform/database/flush-commits.ts'
import { mediaVolumeBytes } from '../../platform/files/disk-space.ts'
import { accountLimits } from '../identity/accounts/limit.ts'
import { overRecords, recordBytes } from '../identity/accounts/records.ts'
import { bytesText, overLimit, overStorage, type StoredSums, storageOf, storageOfAll } from '../identity/accounts/storage.ts'
import { refuseLongQueue } from '../videos/remove.ts'
import { UNFINISHED_HOURS } from './bounds.ts'
import { uploadPlace } from './resumable/place.ts'

/** Advisory lock for checking an upload against the installation's limits. */
const ADMISSION_LOCK = 72_707_372

const LIMITS = ['storageBytes', 'videos', 'unfinishedBytes', 'pendingVideos', 'metadataBytes'] as const
type Limits = Record<(typeof LIMITS)[number], number>

/** An upload that needs space. `size` is undefined if not announced. */
interface Wanted {
  id: string
  size: number | undefined
  /** Whether it becomes its own video, the default. */
  isVideo?: boolean
  /** Bytes of its fields, which count until it is forgotten. */
  textBytes?: number
}

interface Admission {
  /** Returns the IDs that need no reservation, because an earlier request made it. Runs under the lock of the account's row. */
  repeated?(on: Runner): Promise<ReadonlySet<string>>
  /** Whether the uploads have reserved space, to be replaced unless it is enough. */
  isReplacement?: true
  /** Whether the caller waits until the reservation is durable: `commitsFlushed`. */
  isDurableLater?: true
  /** Runs in the transaction that reserves the space, with the IDs of the admitted uploads. */
  also?(on: Runner, admitted: string[]): Promise<unknown>
}

/**
 * Reserves space for a new upload, whose announced bytes count from now on. Concurrent uploads are checked one after another, each
 * including those before it. Errors: TOO_MANY_ATTEMPTS (`details.limit`) if its account or the installation may have no more, STORAGE_FULL
 * if the disk could not hold all announced bytes and the reserve.
 */
export async function admitUpload(
  ctx: Pick<AccountCtx, 'accountId'>,
  upload: Wanted,
  steps?: Pick<Admission, 'isReplacement'>,
): Promise<void> {
  const refusals = await admitUploads(ctx, [upload], steps)
  if (refusals.has(upload.id)) throw refusals.get(upload.id)
}

/** Reserves space for several uploads of an account, in order. Returns the errors of refused ones, by ID. */
export async function admitUploads(
  { accountId }: Pick<AccountCtx, 'accountId'>,
  uploads: Wanted[],
  { repeated, isReplacement, isDurableLater, also }: Admission = {},
): Promise<Map<string, unknown>> {
  const place = uploadPlace()
  const refusals = new Map<string, unknown>()
  // The old reservation stays if its replacement is refused: an error ends the transaction.
  const keepReplaced = () => {
    if (isReplacement) for (const refusal of refusals.values()) throw refusal
  }
  await transaction(async (on) => {
    // Locks the account before the installation, always in this order, to prevent deadlocks. The statements share one round trip and run in
    // order, so all read after the lock.
    const lock = query('lock-account', 'SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId], on)
    const giveUp = isReplacement && query('give-up-place', GIVE_UP, [uploads.map(({ id }) => id), uploads.map(bytesOf)], on)
    const [, , done, limits, stored, queued, records, folder, readSpace] = await Promise.all([
      lock,
      giveUp,
      isReplacement ? stillHeld(uploads, on) : repeated?.(on),
      accountLimits(accountId, LIMITS, on),
      storageOf(accountId, on),
      queuedBy(accountId, on),
      recordBytes(accountId, on),
      place.name(),
      // Before the installation's lock is held.
      place.measure(on),
    ])
    const wanted = uploads.flatMap((one) => {
      const { id, isVideo = true, textBytes = 0 } = one
      return done?.has(id) ? [] : [{ id, isVideo, textBytes, bytes: bytesOf(one) }]
    })
    const permitted = admitEach(wanted, stored, refusals, ({ bytes, isVideo, textBytes }) => {
      refuseAccount(stored, limits, bytes, isVideo)
      refuseLongQueue({ queued, uploads: stored.uploads, most: limits.pendingVideos })
      if (textBytes > 0 && records.metadataBytes + textBytes > limits.metadataBytes)
        throw overRecords('metadataBytes', limits.metadataBytes)
      records.metadataBytes += textBytes
    })
    keepReplaced()
    if (permitted.length === 0) return
    const lockAll = query('lock-places', 'SELECT pg_advisory_xact_lock($1)', [ADMISSION_LOCK], on)
    const [, all, refuseFullDisk] = await Promise.all([lockAll, storageOfAll(on), readSpace(on)])
    const fitting = admitEach(permitted, all, refusals, ({ bytes, isVideo }) => refuseInstallation(all, bytes, isVideo))
    keepReplaced()
    if (fitting.length === 0) return
    refuseFullDisk(fitting.reduce((sum, { bytes }) => sum + bytes, 0))
    const ids = fitting.map(({ id }) => id)
    const values = [ids, accountId, folder, fitting.map(({ bytes }) => bytes)]
    await Promise.all([query('take-place', TAKE, values, on), also?.(on, ids)])
  }, isDurableLater && [DURABLE_LATER])
  return refusals
}

const bytesOf = ({ size }: Wanted): number => size ?? env().MAX_UPLOAD_BYTES

const GIVE_UP = 'DELETE FROM upload u USING unnest($1::text[], $2::bigint[]) AS w (id, bytes) WHERE u.id = w.id AND u.bytes < w.bytes'

/** Returns the uploads that gave up no place: another request reserved as much or more in the meantime. */
async function stillHeld(uploads: Wanted[], on: Runner): Promise<ReadonlySet<string>> {
  const ids = uploads.map(({ id }) => id)
  const rows = await query<{ id: string }>('held-places', 'SELECT id FROM upload WHERE id = ANY($1)', [ids], on)
  return new Set(rows.map(({ id }) => id))
}

const TAKE =
  'INSERT INTO upload (id, account_id, folder, bytes) SELECT id, $2, $3, bytes FROM unnest($1::text[], $4::bigint[]) AS u (id, bytes)'

/** Returns those that `refuse` accepts. Each counts for those after it. */
function admitEach<One extends { id: string; bytes: number }>(
  uploads: One[],
  stored: StoredSums,
  refusals: Map<string, unknown>,
  refuse: (one: One) => void,
): One[] {
  return uploads.filter((one) => {
    const { id, bytes } = one
    try {
      refuse(one)
    } catch (error) {
      refusals.set(id, error)
      return false
    }
    stored.uploads++
    stored.unfinishedBytes += bytes
    stored.totalBytes += bytes
    return true
  })
}

function refuseAccount(stored: StoredSums, limits: Limits, bytes: number, isVideo: boolean): void {
  const { MAX_UNFINISHED_UPLOADS: most } = env()
  const kept = `${UNFINISHED_HOURS} hours`
  if (stored.uploads >= most)
    throw overLimit(
      'uploads',
      `This account has reached its limit of ${most} unfinished uploads. Finish or cancel one of them. We remove uploads without progress after ${kept}.`,
    )
  if (isVideo && stored.videos + stored.uploads >= limits.videos)
    throw overLimit(
      'videos',
      `This account has ${count(stored.videos + stored.uploads)} of ${count(limits.videos)} videos. Delete videos that you no longer need (they count until they are purged after 7 days), or ask your operator for a higher limit.`,
    )
  const unfinished = stored.unfinishedBytes + bytes
  if (unfinished > limits.unfinishedBytes)
    throw overLimit(
      'unfinishedBytes',
      `With this file, the unfinished uploads of this account would total ${bytesText(unfinished)}, and the limit is ${bytesText(limits.unfinishedBytes)}. Finish or cancel another upload first. We remove uploads without progress after ${kept}.`,
    )
  if (stored.totalBytes + bytes > limits.storageBytes) throw overStorage(stored.totalBytes + bytes, limits.storageBytes)
}

function refuseInstallation(stored: StoredSums, bytes: number, _isVideo: boolean): void {
  const { TOTAL_STORAGE_BYTES } = env()
  const over =
    stored.unfinishedBytes + bytes > Math.floor((TOTAL_STORAGE_BYTES ?? mediaVolumeBytes()) / 2) ||
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
