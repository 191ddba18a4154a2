import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db, transaction } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { waitForLocks } from '../../../testing/lock-waits.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { grant } from '../../access/quotas/daily-quota.ts'
import { closeHours } from '../../billing/close-hours.ts'
import { giveCredit } from '../../billing/credit.ts'
import { emit } from '../../webhooks/endpoints/emit.ts'
import { deleteAccount } from './delete-account.ts'
import { purgeAccounts } from './purge-account.ts'

await testDatabase()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

it('waits for running grants, whose events wait for the account, without a deadlock', async () => {
  const ctx = await makeAccount()
  const key = await makeKey(ctx)
  await db().account.update({ where: { id: ctx.accountId }, data: { tier: 'PAID' } })
  const operator: AccountCtx = { ...ctx, actor: { kind: 'operator' } }
  await giveCredit(operator, { credits: 5_000n, reason: 'Some' })
  await db().wallet.update({ where: { accountId: ctx.accountId }, data: { lowBalanceThreshold: 4_000n } })
  await grant(key.id, ctx.accountId, 1)
  // The grant has locked its key and its wallet, and has yet to store an event.
  const { granting, deleting } = await transaction(async (holder) => {
    await holder.query('SELECT FROM key_day WHERE key_id = $1 FOR UPDATE', [key.id])
    const granting = grant(key.id, ctx.accountId, 5)
    await waitForLocks(1)
    const deleting = deleteAccount(ctx, { name: 'Test' })
    await waitForLocks(2)
    return { granting, deleting }
  })
  expect(await granting).toMatchObject({ granted: 5 })
  await deleting
  await purgeAccounts(new AbortController().signal)
  expect(await db().account.count({ where: { id: ctx.accountId } })).toBe(0)
  expect(await closeHours(ctx.accountId)).toBe(0)
  expect(await db().wallet.findUnique({ where: { accountId: ctx.accountId } })).toMatchObject({ balance: 2_000n })
})

it('does not wait for a video that is being completed, which the purge deletes when it is no longer locked', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx)
  const never = new AbortController().signal
  const data = { videoId, durationSec: 1, qualities: [], encrypted: true, externalId: null }
  await db().$transaction(async (tx) => {
    await tx.video.update({ where: { id: videoId }, data: { title: 'Finished' } })
    await deleteAccount(ctx, { name: 'Test' })
    await purgeAccounts(never)
    await emit(tx, ctx.accountId, 'video.processing.completed', data)
  })
  expect(await db().account.count({ where: { id: ctx.accountId } })).toBe(1)
  await purgeAccounts(never)
  expect(await db().account.count({ where: { id: ctx.accountId } })).toBe(0)
})
