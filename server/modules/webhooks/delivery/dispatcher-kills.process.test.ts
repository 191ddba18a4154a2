import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStates } from '../../../testing/delivery-states.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { rounds } from '../../../testing/media/rounds.ts'
import { startDispatcherProcess } from '../../../testing/services/dispatcher-process.ts'
import { startReceiver } from '../../../testing/services/receiver.ts'

await testDatabase()
const KILLS = rounds(2, 50)
const EVENTS_A_KILL = 60

test(
  `${KILLS} dispatchers killed at random times lose no delivery, and two concurrent dispatchers do not conflict`,
  async () => {
    // Slow enough that a kill interrupts attempts; fails some requests.
    const receiver = await startReceiver((_got, res) => {
      setTimeout(() => res.writeHead(Math.random() < 0.1 ? 500 : 200).end(), 5 + Math.random() * 20)
    })
    const ctx = await makeAccount()
    const { id } = await makeEndpoint(ctx, receiver.url)
    const start = () =>
      startDispatcherProcess({ factor: 0.001, patienceMs: 2_000, slackMs: 500, perEndpoint: 10 }, { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
    const emitted: string[] = []
    const killers = [await start(), await start()]
    for (let killed = 0; killed < KILLS; killed++) {
      emitted.push(...(await emitMany(ctx, EVENTS_A_KILL)))
      await wait(Math.random() * 150)
      const victim = killed % 2
      await killers[victim]?.()
      killers[victim] = await start()
    }
    const open = () => db().webhookQueue.count({ where: { endpointId: id } })
    await expect.poll(open, { timeout: 100_000, interval: 250 }).toBe(0)
    await Promise.all(killers.map((kill) => kill()))

    const deliveries = await deliveryStates(id)
    expect(deliveries).toHaveLength(emitted.length)
    const got = new Map<string, number>()
    for (const { eventId } of receiver.log) got.set(eventId, (got.get(eventId) ?? 0) + 1)
    for (const { eventId, status, attemptCount, attempts } of deliveries) {
      expect(status).toBe('DELIVERED')
      expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: attemptCount }, (_, index) => index + 1))
      // Every answered attempt was received; one that timed out may not have been. An attempt of a killed dispatcher can be sent again.
      const answered = attempts.filter((attempt) => attempt.status !== null)
      expect(got.get(eventId) ?? 0).toBeGreaterThanOrEqual(answered.length)
    }
    expect(new Set(got.keys())).toEqual(new Set(emitted))
    const twice = receiver.log.length - deliveries.reduce((sum, { attemptCount }) => sum + attemptCount, 0)
    console.info(`${KILLS} kills, ${emitted.length} events, ${receiver.log.length} requests, ${twice} sent again after a kill`)
  },
  rounds(120_000, 600_000),
)
