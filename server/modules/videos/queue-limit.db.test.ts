import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { beginUpload } from '../uploads/begin.ts'
import { UPLOAD_METRICS } from '../uploads/metrics.ts'
import { removeVideo, restoreVideo, retryVideo } from './remove.ts'

await testDatabase()
beforeAll(() => provide({ MAX_PENDING_VIDEOS: '3' }))
let ctx: AccountCtx
beforeEach(async () => {
  ctx = await makeAccount()
})

const wait = (status: 'PENDING' | 'PROCESSING' | 'FAILED' = 'PENDING') => makeVideo(ctx, { status, durationSec: 0, qualities: [] })
const begin = (of = ctx) => beginUpload(of, { id: newId('upl'), metadata: { title: 'Clip' }, size: 1_000 })
const refusal = { code: 'TOO_MANY_ATTEMPTS', extras: { details: { limit: 'pendingVideos' } } }

it('beginUpload refuses an account at its limit of waiting videos and states why', async () => {
  await wait()
  await wait('PROCESSING')
  await begin()
  await expect(begin()).rejects.toMatchObject(refusal)
  await expect(begin()).rejects.toThrow(
    'This account has 2 videos waiting to be transcoded and 1 unfinished upload, and its limit is 3. Try again when one of them has finished, or delete one.',
  )
  expect(await db().upload.count({ where: { accountId: ctx.accountId } })).toBe(1)
  const [refusals] = UPLOAD_METRICS
  expect(await refusals?.read()).toContainEqual({ labels: { limit: 'pendingVideos' }, value: 2 })
  await begin(await makeAccount())
})

it('beginUpload accepts no more than the limit for concurrent calls', async () => {
  const begun = await Promise.allSettled(Array.from({ length: 12 }, () => begin()))
  expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})

it('removeVideo frees a place, which restoreVideo needs', async () => {
  const [first] = [await wait(), await wait(), await wait()]
  await expect(begin()).rejects.toMatchObject(refusal)
  await removeVideo(ctx, { videoId: first })
  await begin()
  await expect(restoreVideo(ctx, { videoId: first })).rejects.toMatchObject(refusal)
  await db().upload.deleteMany({ where: { accountId: ctx.accountId } })
  await restoreVideo(ctx, { videoId: first })
})

it('retryVideo needs a free place, also for concurrent calls', async () => {
  const failed = [await wait('FAILED'), await wait('FAILED'), await wait('FAILED'), await wait('FAILED'), await wait()]
  const retried = await Promise.allSettled(failed.slice(0, 4).map((videoId) => retryVideo(ctx, { videoId })))
  expect(retried.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await db().transcodeQueue.count({ where: { accountId: ctx.accountId } })).toBe(3)
})

it('setAccountLimit changes the limit of one account', async () => {
  const { accountId } = ctx
  await db().accountLimit.create({ data: { accountId, name: 'pendingVideos', value: 1n, reason: 'test', setBy: 'usr_support' } })
  await begin()
  await expect(begin()).rejects.toThrow(/, and its limit is 1\./)
})
