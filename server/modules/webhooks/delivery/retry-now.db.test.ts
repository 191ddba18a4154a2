import { afterEach, expect, test } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStates, deliveryStatuses } from '../../../testing/delivery-states.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { editEndpoint } from '../endpoints/edit-endpoints.ts'
import { createEndpointInput } from '../endpoints/schema.ts'
import { attemptsOf, DELAYS_SEC, RETRY_SCHEDULES, type RetrySchedule } from '../endpoints/state.ts'
import { Dispatcher, type Pace } from './dispatcher.ts'
import { getDelivery } from './list-deliveries.ts'
import { nextAttemptMs } from './record-attempts.ts'
import { retryNow } from './replay.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

const running: Dispatcher[] = []
function dispatch(pace: Pace): void {
  const dispatcher = new Dispatcher(pace)
  running.push(dispatcher)
  dispatcher.start()
}
afterEach(() => Promise.all(running.splice(0).map((one) => one.stop())))

/** An endpoint whose receiver refuses the first attempts, and one event. */
async function refusing(times: number) {
  const receiver = await startReceiver((_got, res) => res.writeHead(receiver.log.length > times ? 204 : 500).end())
  const ctx = await makeAccount()
  const { id: endpointId } = await makeEndpoint(ctx, receiver.url)
  const [eventId = ''] = await emitMany(ctx, 1)
  return { receiver, ctx, endpointId, eventId }
}

test('a pending delivery is attempted at once, as its next attempt', async () => {
  const { receiver, ctx, endpointId, eventId } = await refusing(1)
  // The second attempt is due after a thousand seconds.
  dispatch({ factor: 1_000 })
  const waiting = async () => (await getDelivery(ctx, { endpointId, eventId })).nextAt?.getTime() ?? 0
  await expect.poll(waiting).toBeGreaterThan(Date.now() + 500_000)
  await retryNow(ctx, { endpointId, eventId })
  await expect.poll(() => deliveryStatuses(endpointId)).toEqual({ DELIVERED: 1 })
  expect(receiver.log).toHaveLength(2)
  const { attempts } = await getDelivery(ctx, { endpointId, eventId })
  expect(attempts.map(({ number, replay, status }) => [number, replay, status])).toEqual([
    [2, 0, 204],
    [1, 0, 500],
  ])
  expect(await db().auditEntry.findMany({ where: { accountId: ctx.accountId } })).toMatchObject([
    { action: 'webhook.retry', subject: endpointId, after: { eventId } },
  ])
  await expect(retryNow(ctx, { endpointId, eventId })).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('a delivery that is being sent, or whose endpoint is disabled, is not retried', async () => {
  const open: (() => void)[] = []
  const receiver = await startReceiver((_got, res) => open.push(() => res.writeHead(204).end()))
  const ctx = await makeAccount()
  const { id: endpointId } = await makeEndpoint(ctx, receiver.url)
  const [eventId = ''] = await emitMany(ctx, 1)
  dispatch({})
  await expect.poll(() => open.length).toBe(1)
  await expect(retryNow(ctx, { endpointId, eventId })).rejects.toMatchObject({ message: 'This delivery is being sent right now.' })
  await db().webhookEndpoint.update({ where: { id: endpointId }, data: { disabledAt: new Date() } })
  await expect(retryNow(ctx, { endpointId, eventId })).rejects.toMatchObject({ code: 'CONFLICT', message: /disabled/ })
  await expect(retryNow(await makeAccount(), { endpointId, eventId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  for (const answer of open) answer()
})

test('an endpoint with the schedule of a day gets all of its attempts; a change applies from the next failure', async () => {
  const { receiver, ctx, endpointId } = await refusing(1_000)
  const { url, description, events } = await db().webhookEndpoint.findUniqueOrThrow({ where: { id: endpointId } })
  const seen = { url, description, events: events as never, retrySchedule: 'standard' as const }
  dispatch({ factor: 0.000_01 })
  await expect.poll(() => deliveryStatuses(endpointId)).toEqual({ DEAD: 1 })
  expect(receiver.log).toHaveLength(6)
  await editEndpoint(ctx, { endpointId, ...seen, retrySchedule: 'day', expected: seen })
  const [second = ''] = await emitMany(ctx, 1)
  await expect.poll(() => deliveryStatuses(endpointId)).toEqual({ DEAD: 2 })
  expect(receiver.log.filter(({ eventId }) => eventId === second)).toHaveLength(attemptsOf('day'))
  expect((await deliveryStates(endpointId)).map(({ attemptCount }) => attemptCount).sort()).toEqual([12, 6])
})

test('schedules begin with the specified delays, never shorten, and end within three days', () => {
  const total = (schedule: RetrySchedule) => RETRY_SCHEDULES[schedule].reduce((sum: number, delay) => sum + delay, 0) / 3_600
  for (const delays of Object.values(RETRY_SCHEDULES)) {
    expect(delays.slice(0, 5)).toEqual([...DELAYS_SEC])
    expect([...delays].sort((a, b) => a - b)).toEqual([...delays])
  }
  expect([total('day'), total('threeDays')].map(Math.round)).toEqual([24, 72])
  expect(total('threeDays')).toBeLessThan(72)
  const chosenNone = { url: 'https://hooks.example.com/in', description: '', events: ['wallet.refilled'] }
  expect(createEndpointInput.parse(chosenNone).retrySchedule).toBe('threeDays')
  const after = (attemptCount: number, retryAfterSec: number | undefined, schedule: RetrySchedule) =>
    nextAttemptMs({ attemptCount } as never, { error: 'x', status: 503, retryAfterSec } as never, RETRY_SCHEDULES[schedule], 1)
  expect([after(0, 9_000, 'standard'), after(0, 9_000, 'day'), after(5, undefined, 'standard'), after(5, undefined, 'day')]).toEqual([
    625_000,
    9_000_000,
    undefined,
    1_800_000,
  ])
})
