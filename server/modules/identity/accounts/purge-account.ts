import { JOBS } from '../../../jobs.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { inShrinkingSlices } from '../../../platform/database/shrinking-slices.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { log } from '../../../platform/observe/log.ts'
import { countDeleted, finishAccountDeletion, recordDeletions } from '../../audit/receipts/deletions.ts'

/** Most videos, and most other rows, deleted per transaction. */
const BATCH = 250
const ROWS = 5_000
/** Tables with many rows per account, emptied in parts before the account's row takes the rest with it. */
const LARGE = [
  'webhook_event',
  'request_log',
  'traffic_hour',
  'traffic_day',
  'account_viewer_day',
  'account_viewer_pair_day',
  'account_delivered_day',
  'viewer',
] as const

/**
 * Deletes what remains of deleted accounts (`deleteAccount`), in transactions of bounded size. Repeatable at any point, by any number of
 * workers. Runs as the job `account.purge`. Throws if an account could not be purged.
 */
export async function purgeAccounts(signal: AbortSignal): Promise<void> {
  const accounts = await db().account.findMany({ where: { deletedAt: { not: null } }, select: { id: true }, orderBy: { deletedAt: 'asc' } })
  let failure: unknown
  for (const { id } of accounts) {
    try {
      await purgeAccount(id, signal)
    } catch (error) {
      signal.throwIfAborted()
      log().warn({ err: error, accountId: id }, 'could not purge a deleted account; retrying')
      failure = error
    }
  }
  if (failure) throw failure
}

async function purgeAccount(accountId: string, signal: AbortSignal): Promise<void> {
  const all = (most: number, some: (tx: Tx, most: number) => Promise<number>) =>
    inShrinkingSlices(most, (size) => db().$transaction((tx) => some(tx, size)), signal)
  await all(BATCH, (tx, most) => deleteVideos(tx, accountId, most))
  for (const table of LARGE) await all(ROWS, (tx, most) => deleteRows(tx, accountId, table, most))
  await db().$transaction((tx) => deleteRest(tx, accountId))
}

/** Deletes the rows of some videos, whose deletion records are the queue of `media.remove`. Returns how many. */
async function deleteVideos(tx: Tx, accountId: string, most: number): Promise<number> {
  // A video that was taken down in the meantime is retained, and the account's row with it.
  const videos = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM video WHERE account_id = ${accountId} AND taken_down_at IS NULL LIMIT ${most} FOR UPDATE SKIP LOCKED`
  if (videos.length === 0) return 0
  const ids = videos.map(({ id }) => id)
  await recordDeletions(tx, ids, { titles: false })
  await tx.$executeRaw`DELETE FROM video WHERE id = ANY (${ids})`
  await enqueue(tx, JOBS['media.remove'], {})
  return ids.length
}

async function deleteRows(tx: Tx, accountId: string, table: (typeof LARGE)[number], most: number): Promise<number> {
  const rows = await tx.$queryRawUnsafe<{ at: string }[]>(
    `SELECT ctid::text AS at FROM ${table} WHERE account_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED`,
    accountId,
    most,
  )
  if (rows.length === 0) return 0
  const chosen = `account_id = '${accountId}' AND ctid = ANY ('{${rows.map(({ at }) => `"${at}"`).join(',')}}'::tid[])`
  await countDeleted(tx, accountId, table, chosen)
  return tx.$executeRawUnsafe(`DELETE FROM ${table} WHERE ${chosen}`)
}

/** Deletes the account's row with everything left of it, unless videos are retained or another worker is deleting some. */
async function deleteRest(tx: Tx, accountId: string): Promise<void> {
  const [account] = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM account WHERE id = ${accountId} AND deleted_at IS NOT NULL FOR UPDATE`
  if (!account || (await tx.video.findFirst({ where: { accountId }, select: { id: true } }))) return
  await finishAccountDeletion(tx, accountId)
  await tx.account.delete({ where: { id: accountId } })
  await tx.storageCount.deleteMany({ where: { accountId } })
  log().info({ accountId }, 'purged a deleted account')
}
