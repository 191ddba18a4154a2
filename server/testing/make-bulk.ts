import type { AccountCtx } from '../context.ts'
import { db } from '../platform/database/database.ts'
import { newId } from '../platform/secrets/crypto.ts'

/** Creates a bulk action of a member that has ended and changed one video; returns its id. */
export async function makeEndedBulk(
  { accountId, actor }: AccountCtx,
  { kind, videoId }: { kind: string; videoId: string },
): Promise<string> {
  const id = newId('blk')
  const { userId, email } = actor as { userId: string; email: string }
  const ended = { total: 1, done: 1, finishedAt: new Date(), requestId: 'req_test' }
  await db().bulkAction.create({ data: { id, accountId, userId, email, kind, ...ended, items: { create: { videoId, state: 'done' } } } })
  return id
}
