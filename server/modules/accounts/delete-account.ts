import { type AccountCtx, requirePermission } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { JOBS } from '../../jobs.ts'
import { db, type Tx } from '../../platform/database.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { log } from '../../platform/log.ts'
import { supportContact } from '../../platform/support-contact.ts'
import { countAccountRows, recordAccountDeletion, recordDeletions } from '../receipts/deletions.ts'
import { lockWallet } from './lock-wallet.ts'
import { MERGE_ROWS } from './storage.ts'

/** Transaction timeout: an account may have thousands of videos, each a job. */
const TRANSACTION_TIMEOUT_MS = 120_000

/**
 * Deletes the account permanently: keys stop at once, jobs remove the media, users without another account are deleted. Financial records
 * remain (see their tables). The owner typed `name` and has proven their identity (server/modules/auth/reauthenticate.ts). Errors:
 * FORBIDDEN, INVALID_REQUEST when the name differs, CONFLICT while a taken-down video is retained.
 */
export async function deleteAccount(ctx: AccountCtx, { name }: { name: string }): Promise<void> {
  requirePermission(ctx, 'account.delete')
  const { accountId } = ctx
  const message = 'Enter the account name exactly as shown above.'
  const nameDiffers = (account: { name: string } | null | undefined) => account?.name !== name.trim()
  const refused = () => new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'body', path: 'name', message }] })
  await db().$transaction(
    async (tx) => {
      if (nameDiffers(await tx.account.findUnique({ where: { id: accountId }, select: { name: true } }))) throw refused()
      await requireNoRetainedVideo(tx, accountId)
      // Events lock the account while their video, key or wallet is locked, so these are locked before the account.
      await deleteVideos(tx, accountId)
      await tx.$queryRaw`SELECT 1 FROM api_key WHERE account_id = ${accountId} ORDER BY id FOR UPDATE`
      await lockWallet(tx, accountId)
      const [account] = await tx.$queryRaw<{ name: string }[]>`SELECT name FROM account WHERE id = ${accountId} FOR UPDATE`
      if (nameDiffers(account)) throw refused()
      // Videos created meanwhile; with the account locked no more can be created.
      await deleteVideos(tx, accountId)
      const users = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM app_user WHERE id IN (SELECT user_id FROM membership WHERE account_id = ${accountId})
          AND NOT EXISTS (SELECT 1 FROM membership WHERE user_id = app_user.id AND account_id <> ${accountId}) ORDER BY id FOR UPDATE`
      const ids = users.map(({ id }) => id)
      await recordAccountDeletion(tx, accountId, await countAccountRows(tx, accountId, ids))
      await tx.user.deleteMany({ where: { id: { in: ids } } })
      await tx.account.delete({ where: { id: accountId } })
      // The triggers have subtracted the storage of the deleted rows; removes the account's rows, whose sum is zero.
      await tx.$executeRawUnsafe(MERGE_ROWS, accountId)
    },
    { timeout: TRANSACTION_TIMEOUT_MS },
  )
  log().info({ accountId }, 'an account was deleted by its owner')
}

async function requireNoRetainedVideo(tx: Tx, accountId: string): Promise<void> {
  if ((await tx.video.count({ where: { accountId, takenDownAt: { not: null } } })) === 0) return
  const message = `This account cannot be deleted yet, because one of its videos was taken down and must be retained. Contact ${supportContact()}.`
  throw new ServiceError('CONFLICT', { message })
}

async function deleteVideos(tx: Tx, accountId: string): Promise<void> {
  const videos = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM video WHERE account_id = ${accountId} ORDER BY id FOR UPDATE`
  const ids = videos.map(({ id }) => id)
  await recordDeletions(tx, ids, { titles: false })
  await tx.$executeRaw`DELETE FROM video WHERE id = ANY (${ids})`
  for (const { id } of videos) await enqueue(tx, JOBS['media.remove'], { videoId: id })
}
