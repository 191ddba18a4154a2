import { afterAll, beforeAll, expect, it } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { shortClip } from '../../../testing/media/media-files.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { removeMedia } from '../../media/remove-media.ts'
import { picturePrefix, segmentPrefix } from '../../videos/media-keys.ts'
import { sessionFromCookies } from '../sessions/session.ts'
import { deleteAccount } from './delete-account.ts'
import { purgeAccounts } from './purge-account.ts'

await testDatabase()
/** Financial records remain after the account is deleted (prisma/schema.prisma). */
const BOOKS = ['wallet', 'key_cap', 'charge_hour', 'ledger_entry', 'deletion']
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

it('deletes everything of the account, removes its media, and leaves other accounts unchanged', async () => {
  const [ctx, other] = [await makeAccount(), await makeAccount()]
  if (ctx.actor.kind !== 'user' || other.actor.kind !== 'user') throw new Error('not people')
  // One member is in both accounts.
  await db().membership.create({ data: { accountId: ctx.accountId, userId: other.actor.userId, role: 'DEVELOPER' } })
  const videos = await Promise.all([makeVideo(ctx), makeVideo(ctx, { status: 'FAILED' }), makeVideo(ctx, { deletedAt: new Date() })])
  const [kept] = [await makeVideo(other), await makeKey(ctx)]
  const [cookie, theirs] = [await cookieFor(ctx), await cookieFor(other)]

  await deleteAccount(ctx, { name: 'Test' })
  await purgeAccounts(new AbortController().signal)

  const tables = await query<{ table_name: string }>(
    'tables-of-accounts',
    `SELECT table_name FROM information_schema.columns WHERE column_name = 'account_id' AND table_schema = 'public'`,
    [],
  )
  expect(tables.length).toBeGreaterThan(3)
  for (const { table_name } of tables) {
    if (BOOKS.includes(table_name)) continue
    const left = await query(`left ${table_name}`, `SELECT 1 FROM ${table_name} WHERE account_id = $1`, [ctx.accountId])
    expect([table_name, left.length]).toEqual([table_name, 0])
  }
  expect(await db().account.count({ where: { id: ctx.accountId } })).toBe(0)
  expect(await db().user.count({ where: { id: ctx.actor.userId } })).toBe(0)
  expect(await sessionFromCookies(cookie)).toBeUndefined()
  expect(await sessionFromCookies(theirs)).toMatchObject({ accountId: other.accountId, actor: { role: 'OWNER' } })
  expect(await db().video.count({ where: { id: kept } })).toBe(1)
  const removals = await db().deletion.findMany({ where: { kind: 'video.deletion', accountId: ctx.accountId, verifiedAt: null } })
  expect(removals.map(({ subject }) => subject).sort()).toEqual([...videos].sort())
})

async function anythingUnder(prefix: string): Promise<boolean> {
  for await (const _ of storage().list(prefix)) return true
  return false
}

it('leaves nothing of a video that is being transcoded', async () => {
  const ctx = await makeAccount()
  const videoId = await pendingVideo(ctx, await shortClip(), { targetQuality: '360p' })
  await db().media.update({ where: { id: videoId }, data: { encrypted: false } })
  const working = transcodeVideo({ accountId: ctx.accountId, videoId }, new AbortController().signal)
  // The segments that it has stored, and those that it stores afterwards.
  // A loop without a pause takes the processor from the encoder, which has a low priority.
  await expect.poll(() => anythingUnder(segmentPrefix(videoId)), { interval: 5 }).toBe(true)
  await deleteAccount(ctx, { name: 'Test' })
  await purgeAccounts(new AbortController().signal)
  await removeMedia(videoId)
  await working
  for (const prefix of [segmentPrefix(videoId), picturePrefix(videoId)]) expect(await anythingUnder(prefix)).toBe(false)
  expect(await storage().stat(`sources/${videoId}`)).toBeUndefined()
})

it('requires the exact name and the role of an owner', async () => {
  const ctx = await makeAccount()
  await expect(deleteAccount(ctx, { name: 'test' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    extras: { details: [{ path: 'name' }] },
  })
  await expect(deleteAccount(await makeAccount('DEVELOPER'), { name: 'Test' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(await db().account.count({ where: { id: ctx.accountId } })).toBe(1)
})
