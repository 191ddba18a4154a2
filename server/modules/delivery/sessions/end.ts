import { type AccountCtx, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { record } from '../../audit/record.ts'
import { addEnd, type EndSubject } from './add-end.ts'

/**
 * Ends every open playback session of a video, of an API key's tokens or of one token: once this resolves, playlists, key URLs and
 * renewals are refused everywhere, in this process at once and in others by notification. Tokens stay valid as in specification §5.7: an
 * unexpired one can still be exchanged, for a new session. Errors: FORBIDDEN, VIDEO_NOT_FOUND, NOT_FOUND.
 */
export async function endPlayback(ctx: AccountCtx, what: EndSubject): Promise<void> {
  requirePermission(ctx, 'keyId' in what ? 'keys.change' : 'videos.change')
  await db().$transaction(async (tx) => {
    await requireOwned(tx, ctx, what)
    const [subject = ''] = Object.values(what)
    await record(tx, ctx, { action: 'playback.end', subject })
    await addEnd(tx, ctx.accountId, what)
  })
  await notifications().caughtUp()
}

/**
 * Checks ownership. Accepts a key in any state, since key revocation ends no session; finds a token among the account's sessions and in its
 * request log, which is a sample.
 */
async function requireOwned(tx: Tx, { accountId }: AccountCtx, what: EndSubject): Promise<void> {
  if ('videoId' in what) {
    if (await tx.video.count({ where: { id: what.videoId, accountId, deletedAt: null } })) return
    throw new ServiceError('VIDEO_NOT_FOUND')
  }
  if ('keyId' in what) {
    if (await tx.apiKey.count({ where: { id: what.keyId, accountId } })) return
    throw new ServiceError('NOT_FOUND', { message: 'No such key exists in your account.' })
  }
  const [session] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM live_session WHERE account_id = ${accountId} AND split_part(id, '-', 2) = ${what.tokenId} LIMIT 1`
  if (session) return
  if (await tx.loggedRequest.count({ where: { tokenId: what.tokenId, accountId } })) return
  throw new ServiceError('NOT_FOUND', {
    message: 'Your account has no open session with this token, and its request log contains no request with it.',
  })
}
