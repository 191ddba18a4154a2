import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { runners } from '../../worker/runners.ts'
import { deleteAccount } from '../identity/accounts/delete-account.ts'
import { purgeAccounts } from '../identity/accounts/purge-account.ts'
import { purgeVideos } from './remove.ts'

await testDatabase()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

/** Lets a statement delete at most `most` videos, as if more took longer than a statement may. */
const deletesAtMost = async (most: number) => {
  await db().$executeRawUnsafe(`CREATE OR REPLACE FUNCTION test_slow_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM gone) > ${most} THEN RAISE 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END IF;
    RETURN NULL; END $$`)
  await db().$executeRawUnsafe(`CREATE OR REPLACE TRIGGER test_slow_delete AFTER DELETE ON video REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION test_slow_delete()`)
}
beforeEach(() => deletesAtMost(1))

const oldVideos = async (count: number) => {
  const ctx = await makeAccount()
  for (let made = 0; made < count; made++) await makeVideo(ctx)
  await db().$executeRaw`UPDATE video SET deleted_at = service_now() - interval '8 days' WHERE account_id = ${ctx.accountId}`
  return ctx
}
const videosOf = ({ accountId }: { accountId: string }) => db().video.count({ where: { accountId } })

it('purges videos that cannot be deleted together in the time of a statement', async () => {
  const ctx = await oldVideos(5)
  expect(await purgeVideos()).toBe(5)
  expect(await videosOf(ctx)).toBe(0)
})

it('purges an account with such videos', async () => {
  const ctx = await oldVideos(5)
  await deleteAccount(ctx, { name: 'Test' })
  await purgeAccounts(new AbortController().signal)
  expect(await db().account.count({ where: { id: ctx.accountId } })).toBe(0)
})

it('does what else its job does when videos cannot be purged', async () => {
  const ctx = await oldVideos(1)
  await deletesAtMost(0)
  const ended = {
    id: 'blk_old',
    accountId: ctx.accountId,
    userId: 'usr_1',
    email: 'a@example.com',
    requestId: 'req_1',
    kind: 'delete',
    total: 1,
  }
  await db().bulkAction.create({ data: { ...ended, finishedAt: new Date(Date.now() - 31 * 86_400_000) } })
  await expect(runners['video.purge']({}, new AbortController().signal)).rejects.toThrow()
  expect(await videosOf(ctx)).toBe(1)
  expect(await db().bulkAction.count()).toBe(0)
})
