import { afterEach, expect, test } from 'vitest'
import { db } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../testing/make-endpoint.ts'
import { startReceiver } from '../../testing/receiver.ts'
import { provide } from '../../testing/settings.ts'
import { Dispatcher } from './dispatcher.ts'
import { leaseDeliveries, returnDeliveries } from './lease.ts'
import { LEASE_MS, LeaseKeeper } from './lease-keeper.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

async function queued(url = 'https://hooks.example.com') {
  const { id } = await makeEndpoint(await makeAccount(), url)
  const { accountId } = await db().webhookEndpoint.findUniqueOrThrow({ where: { id } })
  await emitMany({ accountId } as never, 1)
  return id
}
const expiryOf = async (endpointId: string) => (await db().webhookLease.findFirst({ where: { endpointId } }))?.expiresAt.getTime()
const expire = (endpointId: string) => db().webhookLease.updateMany({ where: { endpointId }, data: { expiresAt: new Date() } })

test('a keeper renews leases by LEASE_MS, at most up to their end, and neither ended nor returned ones', async () => {
  const ids = await Promise.all([queued(), queued(), queued(), queued()])
  const [long, short, over, returned] = ids as [string, string, string, string]
  const leased = await Promise.all(ids.map((endpointId) => leaseDeliveries([{ endpointId, limit: 1 }], 60_000)))
  const keeper = new LeaseKeeper()
  const now = performance.now()
  for (const [at, ms] of [60_000, 2_000, 0, 60_000].entries()) keeper.add(leased[at] ?? [], now + ms)
  await Promise.all(ids.map(expire))
  await returnDeliveries(leased[3]?.[0]?.deliveries ?? [])
  const before = Date.now()
  await keeper.renew()
  expect(await expiryOf(long)).toBeGreaterThanOrEqual(before + LEASE_MS - 100)
  expect(await expiryOf(long)).toBeLessThanOrEqual(Date.now() + LEASE_MS)
  expect(await expiryOf(short)).toBeLessThanOrEqual(Date.now() + 2_000)
  expect(await expiryOf(over)).toBeLessThanOrEqual(before)
  expect(await expiryOf(returned)).toBeUndefined()
})

const running: Dispatcher[] = []
afterEach(() => Promise.all(running.splice(0).map((one) => one.stop())))

test('a dispatcher leases for LEASE_MS and renews the lease while its attempt runs', async () => {
  const receiver = await startReceiver(() => {})
  const id = await queued(receiver.url)
  const dispatcher = new Dispatcher()
  running.push(dispatcher)
  dispatcher.start()
  await expect.poll(() => receiver.log.length).toBe(1)
  const first = (await expiryOf(id)) as number
  expect(first).toBeLessThanOrEqual(Date.now() + LEASE_MS)
  await expect.poll(() => expiryOf(id)).toBeGreaterThan(first)
})
