import { afterEach, expect, test, vi } from 'vitest'
import { db, pool, transaction } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStatuses } from '../../../testing/delivery-states.ts'
import { waitForLocks } from '../../../testing/lock-waits.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { type Received, startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { lease } from '../../../testing/webhook-leases.ts'
import { grant } from '../../access/quotas/daily-quota.ts'
import { Dispatcher } from '../delivery/dispatcher.ts'
import { enableEndpoint, stopStragglers } from './disable-endpoint.ts'
import { editEndpoint, lockEndpoint, removeEndpoint } from './edit-endpoints.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

const running: Dispatcher[] = []
function dispatch(): void {
  const made = new Dispatcher()
  running.push(made)
  made.start()
}
afterEach(() => Promise.all(running.splice(0).map((one) => one.stop())))

test('issuing a token with an event does not wait for a change of the endpoint', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const key = await makeKey(ctx)
  await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: 1 } })
  await db().$transaction(async (tx) => {
    await lockEndpoint(tx, ctx, id)
    // The last token of the quota, which emits an event.
    expect(await grant(key.id, ctx.accountId, 1)).toMatchObject({ granted: 1 })
  })
  expect(await deliveryStatuses(id)).toEqual({ PENDING: 1 })
})

test('stopStragglers marks a killed dispatcher’s deliveries dead when the endpoint is disabled and the lease has expired', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, 3)
  await lease(id, 1)
  await lease(id, 1, 0)
  await enableEndpoint(ctx, { endpointId: id, enabled: false })
  await stopStragglers()
  expect(await deliveryStatuses(id)).toEqual({ DEAD: 2, PENDING: 1 })
  await db().webhookLease.updateMany({ where: { endpointId: id }, data: { leasedUntil: new Date(0) } })
  await stopStragglers()
  expect(await deliveryStatuses(id)).toEqual({ DEAD: 3 })
  expect(await db().webhookQueue.count({ where: { endpointId: id } })).toBe(0)
})

test('stopStragglers does not stop deliveries of an endpoint that is being enabled', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, 2)
  await db().webhookEndpoint.update({ where: { id }, data: { disabledAt: new Date() } })
  const stopping = await transaction(async (enabler) => {
    await enabler.query('UPDATE webhook_endpoint SET disabled_at = NULL WHERE id = $1', [id])
    const stopping = stopStragglers()
    await waitForLocks(1)
    return { stopping }
  })
  await stopping.stopping
  expect(await deliveryStatuses(id)).toEqual({ PENDING: 2 })
})

test('Dispatcher sends only attempts in flight to an endpoint after its 410', async () => {
  let answered = 0
  const receiver = await startReceiver((_got, res) => res.writeHead(++answered > 200 ? 410 : 200).end())
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, receiver.url)
  await emitMany(ctx, 1_000)
  dispatch()
  await expect.poll(() => db().webhookEndpoint.findUniqueOrThrow({ where: { id } })).toMatchObject({ disabledReason: 'gone' })
  await expect.poll(() => db().webhookQueue.count({ where: { endpointId: id } })).toBe(0)
  const { DELIVERED = 0, DEAD = 0 } = await deliveryStatuses(id)
  expect([DELIVERED, DELIVERED + DEAD]).toEqual([200, 1_000])
  const tried = await db().webhookAttempt.count({ where: { delivery: { endpointId: id } } })
  expect(tried).toBe(receiver.log.length)
  // Attempts continue while the first 410 is written.
  expect(receiver.log.length).toBeLessThan(600)
})

test('Dispatcher sends waiting deliveries to the new URL after an edit', async () => {
  const pending: (() => void)[] = []
  // Fast at first, so that more is leased than is in flight.
  const old = await startReceiver((_got, res) => (old.log.length > 200 ? void pending.push(() => res.end()) : res.end()))
  const moved = await startReceiver()
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, old.url)
  await emitMany(ctx, 600)
  dispatch()
  await vi.waitFor(() => expect(pending.length).toBe(50))
  const { url, description, events } = await db().webhookEndpoint.findUniqueOrThrow({ where: { id } })
  const expected = { url, description, events: events as never, retrySchedule: 'standard' as const }
  await editEndpoint(ctx, { endpointId: id, expected, ...expected, url: moved.url })
  // The dispatcher reads the endpoint again at the notification; what it sends before goes to the former URL.
  await notifications().caughtUp()
  for (const answer of pending.splice(0)) answer()
  await expect.poll(() => deliveryStatuses(id)).toEqual({ DELIVERED: 600 })
  expect([old.log.length, moved.log.length]).toEqual([250, 350])
})

test('removeEndpoint succeeds under load, also while the endpoint starts to fail', async () => {
  const receiver = await startReceiver((_got, res) => res.writeHead(Math.random() < 0.9 ? 500 : 200).end())
  const ctx = await makeAccount()
  dispatch()
  dispatch()
  for (let round = 0; round < 12; round++) {
    const { id } = await makeEndpoint(ctx, receiver.url)
    const before = receiver.log.length
    await emitMany(ctx, 60)
    await vi.waitFor(() => expect(receiver.log.length).toBeGreaterThan(before))
    await removeEndpoint(ctx, { endpointId: id })
  }
  expect(await db().webhookQueue.count({ where: { accountId: ctx.accountId } })).toBe(0)
})

test('recordAttempts waits for the deletion of an endpoint before it locks deliveries, which prevents a deadlock', async () => {
  const receiver = await startReceiver()
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, receiver.url)
  await emitMany(ctx, 5)
  await transaction(async (deleter) => {
    await deleter.query('SELECT FROM webhook_endpoint WHERE id = $1 FOR UPDATE', [id])
    dispatch()
    await waitForLocks(1)
    const { rowCount } = await pool().query('SELECT FROM webhook_queue WHERE endpoint_id = $1 FOR UPDATE SKIP LOCKED', [id])
    expect(rowCount).toBe(5)
  })
  await expect.poll(() => deliveryStatuses(id)).toEqual({ DELIVERED: 5 })
})

test('a delayed write of an attempt does not make the next attempt early', async () => {
  const receiver = await startReceiver((_got, res) => res.writeHead(500).end())
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, receiver.url)
  await emitMany(ctx, 1)
  await transaction(async (editor) => {
    await editor.query('SELECT FROM webhook_endpoint WHERE id = $1 FOR UPDATE', [id])
    dispatch()
    const waitsFor = () =>
      pool().query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND now() - xact_start > interval '0.6 s'`,
      )
    await vi.waitFor(async () => expect((await waitsFor()).rowCount).toBe(1))
  })
  await expect.poll(() => receiver.log.length).toBe(2)
  const [first, second] = receiver.log as [Received, Received]
  expect(second.at - first.at).toBeGreaterThanOrEqual(1_000 - 3)
})

test('Dispatcher.stop gives back aborted deliveries at once without an attempt', async () => {
  const hangs = await startReceiver(() => {})
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, hangs.url)
  await emitMany(ctx, 80)
  dispatch()
  await vi.waitFor(() => expect(hangs.log.length).toBe(50))
  await Promise.all(running.splice(0).map((one) => one.stop()))
  expect(await db().webhookAttempt.count({ where: { delivery: { endpointId: id } } })).toBe(0)
  expect(await lease(id, 100)).toHaveLength(80)
  await hangs.close()
})

test('Dispatcher sends nothing to the old URL when the endpoint changes during a lease request', async () => {
  const old = await startReceiver()
  const moved = await startReceiver()
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, old.url)
  await emitMany(ctx, 20)
  await transaction(async (locker) => {
    // The dispatcher has the old URL and waits for its lease.
    await locker.query('LOCK TABLE webhook_lease IN SHARE MODE')
    dispatch()
    await waitForLocks(1)
    await db().webhookEndpoint.update({ where: { id }, data: { url: moved.url } })
    // Notifications are ordered: this one follows the other.
    const there = new Promise<void>((resolve) => notifications().on('webhook', (account) => account === ctx.accountId && resolve()))
    await db().$executeRaw`SELECT pg_notify('reelgate', ${`webhook:${ctx.accountId}`})`
    await there
  })
  await expect.poll(() => deliveryStatuses(id)).toEqual({ DELIVERED: 20 })
  expect([old.log.length, moved.log.length]).toEqual([0, 20])
})
