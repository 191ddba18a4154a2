import { type AccountCtx, requirePermission, requireStaff } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { supportContact } from '../../../platform/config/support-contact.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { log } from '../../../platform/observe/log.ts'
import { recordAccountDeletion } from '../../audit/receipts/deletions.ts'
import { record } from '../../audit/record.ts'
import { mailOwners } from './mail-owners.ts'
import { lockWallet } from './storage.ts'

/** Tables from which the request itself deletes the account's rows, to end access at once. They have few rows. */
const AT_ONCE = ['membership', 'invitation', 'api_key', 'transcode_queue', 'transcript', 'account_activity', 'support_approval'] as const

/**
 * Deletes the account permanently, in a time that does not depend on its size: keys stop at once, playback is refused, users without
 * another account are deleted, and the job `account.purge` deletes the rest. Financial records stay (see their tables). The owner typed
 * `name` and has proven their identity (server/modules/identity/sessions/reauthenticate.ts). Errors: FORBIDDEN, INVALID_REQUEST if the name
 * differs, CONFLICT while a taken-down video must be retained.
 */
export async function deleteAccount(ctx: AccountCtx, { name }: { name: string }): Promise<void> {
  requirePermission(ctx, 'account.delete')
  const { accountId } = ctx
  const message = 'Enter the account name exactly as shown above.'
  const nameDiffers = (account: { name: string } | null | undefined) => account?.name !== name.trim()
  const refused = () => new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'body', path: 'name', message }] })
  await db().$transaction(async (tx) => {
    if (nameDiffers(await tx.account.findFirst({ where: { id: accountId, deletedAt: null }, select: { name: true } }))) throw refused()
    await requireNoRetainedVideo(tx, accountId)
    // Events lock the account while its key or wallet is locked, so lock these before the account.
    await tx.$queryRaw`SELECT 1 FROM api_key WHERE account_id = ${accountId} ORDER BY id FOR UPDATE`
    await lockWallet(tx, accountId)
    const [account] = await tx.$queryRaw<{ name: string }[]>`
      SELECT name FROM account WHERE id = ${accountId} AND deleted_at IS NULL FOR UPDATE`
    if (nameDiffers(account)) throw refused()
    const users = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM app_user WHERE id IN (SELECT user_id FROM membership WHERE account_id = ${accountId})
        AND NOT EXISTS (SELECT 1 FROM membership WHERE user_id = app_user.id AND account_id <> ${accountId}) ORDER BY id FOR UPDATE`
    const userIds = users.map(({ id }) => id)
    await recordAccountDeletion(tx, accountId, { userIds, tables: AT_ONCE })
    await tx.user.deleteMany({ where: { id: { in: userIds } } })
    for (const table of AT_ONCE) await tx.$executeRawUnsafe(`DELETE FROM ${table} WHERE account_id = $1`, accountId)
    // Like a suspended account: its videos do not play, its webhooks are not sent, and its uploads are not completed.
    await tx.$executeRaw`
      UPDATE account SET deleted_at = service_clock(), suspended_at = coalesce(suspended_at, service_clock()), name = '' WHERE id = ${accountId}`
    await enqueue(tx, JOBS['account.purge'], {})
  })
  log().info({ accountId }, 'an owner deleted an account')
}

async function requireNoRetainedVideo(tx: Tx, accountId: string): Promise<void> {
  if ((await tx.video.count({ where: { accountId, takenDownAt: { not: null } } })) === 0) return
  const message = `You cannot delete this account yet: one of its videos was taken down and must be retained. Contact ${supportContact()}.`
  throw new ServiceError('CONFLICT', { message })
}

/**
 * Restores a suspended account with a reason, for the operator and support staff. Keys, playback and webhooks work as before. Errors:
 * FORBIDDEN, CONFLICT if it is not suspended.
 */
export async function restoreAccount(ctx: AccountCtx, { reason }: { reason: string }): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM api_key WHERE account_id = ${accountId} ORDER BY id FOR NO KEY UPDATE`
    const [before] = await tx.$queryRaw<{ reason: string | null; since: Date | null }[]>`
      SELECT suspension_reason AS reason, suspended_at AS since FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
    if (!before?.since) throw new ServiceError('CONFLICT', { message: 'This account is not suspended.' })
    await tx.$executeRaw`UPDATE account SET suspended_at = NULL, suspension_reason = NULL WHERE id = ${accountId}`
    const suspended = { since: before.since.toISOString(), reason: before.reason }
    await record(tx, ctx, { action: 'support.restore', subject: accountId, before: suspended, after: { reason } })
    await mailOwners(tx, accountId, (name) => ({
      subject: `Your account “${name}” was restored`,
      text: `The account “${name}” has been restored and is fully available again.\n\nReason: ${reason}`,
    }))
  })
}

/**
 * Suspends an account with a reason, for the operator and support staff. Once this resolves, no process issues a token with its keys; a
 * notice invalidates the API, playback and webhooks. Members can sign in and read the reason, but change nothing. Errors: FORBIDDEN,
 * CONFLICT if it is already suspended.
 */
export async function suspendAccount(ctx: AccountCtx, { reason }: { reason: string }): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    // Locks keys in ID order before their account, as everywhere: running grants commit first, and later ones see the suspension.
    await tx.$queryRaw`SELECT 1 FROM api_key WHERE account_id = ${accountId} ORDER BY id FOR NO KEY UPDATE`
    const changed = await tx.$executeRaw`
      UPDATE account SET suspended_at = service_clock(), suspension_reason = ${reason} WHERE id = ${accountId} AND suspended_at IS NULL`
    if (changed === 0) throw new ServiceError('CONFLICT', { message: 'This account is already suspended.' })
    await record(tx, ctx, { action: 'support.suspend', subject: accountId, after: { reason } })
    await mailOwners(tx, accountId, (name) => ({
      subject: `Your account “${name}” was suspended`,
      text: `The account “${name}” was suspended.\n\nReason: ${reason}\n\nIts API keys are rejected, and its videos do not play. You can still sign in and view everything, but you cannot make changes.`,
    }))
  })
}
