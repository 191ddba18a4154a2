import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { makeStaff } from '../../../testing/staff.ts'
import { listAccountActivity } from './account-activity.ts'
import { accountActivityInput } from './schema.ts'
import { requireStaff, type StaffCtx } from './staff.ts'

await testDatabase()

let staff: StaffCtx
let big: AccountCtx
let small: AccountCtx
const DAY = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY)

const called = ({ accountId }: AccountCtx, keyId: string, ago: number, requests: number) =>
  db().trafficDay.create({
    data: { accountId, keyId, day: daysAgo(ago), operation: 'listVideos', status: 200, requests, latency: [requests] },
  })

beforeAll(async () => {
  const person = await makeAccount()
  await makeStaff(person)
  staff = await requireStaff(person, 'req_test')
  big = await makeAccount()
  small = await makeAccount()
  const [one, two, other] = [await makeKey(big), await makeKey(big), await makeKey(small)]
  const days = [
    [one.id, 0, 10, 1, 100],
    [two.id, 0, 5, 0, 50],
    [one.id, 6, 20, 2, 200],
    [one.id, 7, 40, 4, 400],
    [one.id, 29, 80, 8, 800],
    [one.id, 30, 1_000, 1_000, 1_000],
    [other.id, 0, 7, 9, 70],
  ] as const
  for (const [keyId, ago, issued, refused, requests] of days) {
    await db().keyDay.create({ data: { keyId, day: daysAgo(ago), issued, refused } })
    await called(keyId === other.id ? small : big, keyId, ago, requests)
  }
  const video = await makeVideo(big, { sourceBytes: 1_000n })
  const rendition = { mediaId: video, width: 1, height: 1, bandwidth: 1, averageBandwidth: 1, codecs: 'avc1', frameRate: 25, segments: [] }
  for (const quality of ['720p', '360p']) await db().rendition.create({ data: { ...rendition, quality, bytes: 500n } })
  for (const ago of [0, 6, 20, 31])
    await db().videoLog.create({ data: { videoId: video, step: 'fail', message: 'It failed.', at: daysAgo(ago) } })
  await db().videoLog.create({ data: { videoId: video, step: 'complete', message: 'Done.' } })
})

const rowOf = async (ctx: AccountCtx, days: 1 | 7 | 30) => {
  const { accounts } = await listAccountActivity(staff, accountActivityInput.parse({ days }))
  const { name: _, tier: __, accountId: ___, ...figures } = accounts.find(({ accountId }) => accountId === ctx.accountId) ?? ({} as never)
  return figures
}

test.each([
  [1, { requests: 150, issued: 15, refused: 1, failed: 1 }],
  [7, { requests: 350, issued: 35, refused: 3, failed: 2 }],
  [30, { requests: 1_550, issued: 155, refused: 15, failed: 3 }],
] as const)('listAccountActivity over %s days returns the sums of the UTC days', async (days, figures) => {
  expect(await rowOf(big, days)).toEqual({ ...figures, storedBytes: 2_000 })
})

test('listAccountActivity sorts by each figure, the largest first', async () => {
  const order = async (sort: 'requests' | 'refused' | 'storage' | 'failed') =>
    (await listAccountActivity(staff, accountActivityInput.parse({ days: 1, sort }))).accounts.map(({ accountId }) => accountId).slice(0, 2)
  expect(await order('requests')).toEqual([big.accountId, small.accountId])
  expect(await order('refused')).toEqual([small.accountId, big.accountId])
  expect((await order('storage'))[0]).toBe(big.accountId)
  expect((await order('failed'))[0]).toBe(big.accountId)
})

test('listAccountActivity returns totals over all accounts, and pages end', async () => {
  const { totals } = await listAccountActivity(staff, accountActivityInput.parse({ days: 1 }))
  expect(totals).toMatchObject({ accounts: 3, requests: 220, issued: 22, refused: 10 })
  expect((await listAccountActivity(staff, accountActivityInput.parse({ days: 1, page: 1 }))).accounts).toEqual([])
})

test('listAccountActivity returns current counts of webhook deliveries: due, scheduled for later, and the longest time since due', async () => {
  const owner = await makeAccount()
  await makeEndpoint(owner, 'https://hooks.example.com/one')
  await makeEndpoint(owner, 'https://hooks.example.com/two')
  await emitMany(owner, 2)
  await query('', `UPDATE webhook_queue SET due_at = service_now() + interval '1 hour'`, [])
  await query(
    '',
    `UPDATE webhook_queue SET due_at = service_now() - interval '90 seconds' WHERE delivery_id = (SELECT min(delivery_id) FROM webhook_queue)`,
    [],
  )
  const { deliveries } = await listAccountActivity(staff, accountActivityInput.parse({}))
  expect(deliveries).toMatchObject({ waiting: 1, later: 3 })
  expect(deliveries.oldestSec).toBeGreaterThanOrEqual(89)
  expect(deliveries.oldestSec).toBeLessThan(300)
})

test('listAccountActivity returns the current queue with the longest waiting time', async () => {
  expect((await listAccountActivity(staff, accountActivityInput.parse({}))).queue).toEqual({ waiting: 0, running: 0, oldestSec: null })
  await makeVideo(small, { status: 'PENDING', createdAt: new Date(Date.now() - 90_000) })
  await makeVideo(small, { status: 'PENDING' })
  await makeVideo(small, { status: 'PROCESSING' })
  await makeVideo(small, { status: 'PENDING', deletedAt: new Date(), createdAt: daysAgo(2) })
  const { queue } = await listAccountActivity(staff, accountActivityInput.parse({}))
  expect(queue).toMatchObject({ waiting: 2, running: 1 })
  expect(queue.oldestSec).toBeGreaterThanOrEqual(89)
  expect(queue.oldestSec).toBeLessThan(300)
})

test('listAccountActivity returns sums older than a minute at once and refreshes them in the background', async () => {
  const { id } = await makeKey(small)
  await called(small, id, 0, 30)
  expect((await rowOf(small, 1)).requests).toBe(70)
  await query('age-account-activity', `UPDATE installation SET activity_refreshed_at = activity_refreshed_at - interval '2 minutes'`, [])
  const expected = await listAccountActivity(staff, accountActivityInput.parse({ days: 1 }))
  expect(expected.isStale).toBe(true)
  await expect.poll(async () => (await listAccountActivity(staff, accountActivityInput.parse({}))).isStale).toBe(false)
  expect((await rowOf(small, 1)).requests).toBe(100)
})
