import { afterEach, expect, test } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStatuses } from '../../../testing/delivery-states.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { Dispatcher } from './dispatcher.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

let dispatcher: Dispatcher | undefined
afterEach(() => dispatcher?.stop())

test('Dispatcher delivers to 49 endpoints without delay while a dead one has more deliveries than the concurrency', async () => {
  const dead = await startReceiver(() => {})
  const well = await startReceiver()
  const ctx = await makeAccount()
  const { id: deadId } = await makeEndpoint(ctx, dead.url)
  await emitMany(ctx, 300)
  for (let made = 0; made < 49; made++) await makeEndpoint(ctx, `${well.url}/${made}`)
  const ids = await emitMany(ctx, 10)
  dispatcher = new Dispatcher({ concurrency: 40, perEndpoint: 20, patienceMs: 120_000 })
  dispatcher.start()
  await expect.poll(() => well.log.length).toBe(49 * ids.length)
  // The first attempts to the dead endpoint are still in flight.
  expect(await db().webhookAttempt.count({ where: { delivery: { endpointId: deadId } } })).toBe(0)
  expect(dead.open.now).toBeGreaterThan(0)
  expect(dead.open.most).toBeLessThanOrEqual(20)
  expect(new Set(well.log.map(({ path, eventId }) => `${path} ${eventId}`)).size).toBe(49 * ids.length)
  await dead.close()
})

test('Dispatcher does not block endpoints of a host by a hanging endpoint of the same host', async () => {
  const host = await startReceiver(({ path }, res) => (path === '/dead' ? undefined : res.end()))
  const ctx = await makeAccount()
  await makeEndpoint(ctx, host.url.replace('/hooks', '/dead'))
  await emitMany(ctx, 100)
  dispatcher = new Dispatcher({ concurrency: 60, perEndpoint: 30, patienceMs: 120_000 })
  dispatcher.start()
  await expect.poll(() => host.log.length).toBe(30)
  for (let made = 0; made < 9; made++) await makeEndpoint(ctx, `${host.url}/${made}`)
  await emitMany(ctx, 20)
  const well = () => host.log.filter(({ path }) => path !== '/dead').length
  await expect.poll(well).toBe(9 * 20)
  expect(host.log.length - well()).toBe(30)
  await host.close()
})

test('Dispatcher never exceeds perEndpoint concurrent attempts', async () => {
  const slow = await startReceiver((_got, res) => void setTimeout(() => res.end(), 20))
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, slow.url)
  await emitMany(ctx, 200)
  dispatcher = new Dispatcher({ perEndpoint: 7 })
  dispatcher.start()
  await expect.poll(() => deliveryStatuses(id)).toEqual({ DELIVERED: 200 })
  expect(slow.open.most).toBe(7)
  expect(slow.log).toHaveLength(200)
})
