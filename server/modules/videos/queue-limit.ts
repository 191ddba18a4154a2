import type { AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database/database.ts'
import { accountLimit } from '../identity/accounts/limit.ts'

/**
 * Throws TOO_MANY_ATTEMPTS unless the transcode queue accepts one more video of the account. Unfinished uploads count, as each
 * becomes a video. Locks the account's row, so that concurrent calls count each other.
 */
export async function requireQueueSpace(tx: Tx, accountId: AccountId): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const most = await accountLimit(accountId, 'pendingVideos', tx)
  const [queued, uploads] = [await tx.transcodeQueue.count({ where: { accountId } }), await tx.upload.count({ where: { accountId } })]
  refuseLongQueue({ queued, uploads, most })
}

/** Same check for counts read under the lock of the account's row. */
export function refuseLongQueue({ queued, uploads, most }: { queued: number; uploads: number; most: number }): void {
  if (queued + uploads < most) return
  const coming = uploads > 0 ? ` and ${uploads} unfinished ${uploads === 1 ? 'upload' : 'uploads'}` : ''
  const message = `This account has ${queued} ${queued === 1 ? 'video' : 'videos'} waiting to be transcoded${coming}, and its limit is ${most}. Try again when one of them is done, or delete one.`
  throw new ServiceError('TOO_MANY_ATTEMPTS', { message, details: { limit: 'pendingVideos' }, retryAfter: 60 })
}
