import { afterEach, expect, test } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { DELAYS_SEC, MAX_ATTEMPTS } from '../endpoints/state.ts'
import { Dispatcher } from './dispatcher.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

const running: Dispatcher[] = []
function startDispatcher(): void {
  const dispatcher = new Dispatcher()
  running.push(dispatcher)
  dispatcher.start()
}
afterEach(() => Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop())))

test('Attempt aborts a response of one byte per second after 10 s (specification)', async () => {
  const receiver = await startReceiver((_got, res) => {
    res.writeHead(200)
    const drip = setInterval(() => res.write('.'), 1_000)
    res.on('close', () => clearInterval(drip))
  })
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, receiver.url)
  await emitMany(ctx, 1)
  startDispatcher()
  const first = () => db().webhookAttempt.findFirst({ where: { delivery: { endpointId: id } } })
  await expect.poll(first).toMatchObject({ status: 200, error: 'The receiver sent no complete response within 10 s.' })
  expect((await first())?.durationMs).toBeGreaterThanOrEqual(9_990)
})

const ENDPOINTS = 50

// Takes 13 minutes in real time: `npm run soak -- webhooks`.
test.runIf(process.env.REELGATE_SOAK)(
  `${ENDPOINTS} failing endpoints: each attempt starts within a second of its due time over the whole schedule`,
  async () => {
    const receiver = await startReceiver((_got, res) => res.writeHead(500).end())
    const ctx = await makeAccount()
    for (let made = 0; made < ENDPOINTS; made++) await makeEndpoint(ctx, `${receiver.url}/${made}`)
    await emitMany(ctx, 4)
    for (let started = 0; started < 2; started++) startDispatcher()
    const open = () => db().webhookQueue.count({ where: { accountId: ctx.accountId } })
    await expect.poll(open, { timeout: 20 * 60_000, interval: 2_000 }).toBe(0)

    const deliveries = await db().webhookDelivery.findMany({
      where: { accountId: ctx.accountId },
      include: { attempts: { orderBy: { number: 'asc' } } },
    })
    const late: number[] = []
    for (const { attempts } of deliveries) {
      expect(attempts).toHaveLength(MAX_ATTEMPTS)
      for (const [index, delay] of DELAYS_SEC.entries()) {
        const [failed, next] = attempts.slice(index, index + 2) as [(typeof attempts)[number], (typeof attempts)[number]]
        late.push(next.at.getTime() - failed.at.getTime() - failed.durationMs - delay * 1_000)
      }
    }
    console.info(`${late.length} attempts: ${Math.min(...late)} to ${Math.max(...late)} ms after their time`)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(-5)
    expect(Math.max(...late)).toBeLessThanOrEqual(1_000)
  },
  25 * 60_000,
)
