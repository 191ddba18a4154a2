import { setTimeout as wait } from 'node:timers/promises'
import type { AccountCtx } from '../server/context.ts'
import { EVENTS } from '../server/events.ts'
import { Dispatcher } from '../server/modules/webhooks/delivery/dispatcher.ts'
import { signatureHeader } from '../server/modules/webhooks/delivery/signature.ts'
import { env } from '../server/platform/config/config.ts'
import { services } from '../server/platform/container.ts'
import { db, pool } from '../server/platform/database/database.ts'
import { notifications } from '../server/platform/database/notifications.ts'
import { ssrfSafeAgent } from '../server/platform/network/ssrf-safe-agent.ts'
import { makeAccount } from '../server/testing/make.ts'
import { makeEndpoint } from '../server/testing/make-endpoint.ts'
import { startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { interleaved } from './load.ts'
import type { Row } from './report.ts'

/** The number of deliveries per measurement, and of concurrent ones, in the service and in the bare loop. */
const DELIVERIES = 24_000
const AT_ONCE = 50
const QUEUED = 100_000
/** Inserted by one statement. */
const BATCH = 4_000
const PATIENCE_MS = 10_000
/** Before each measurement: the database and the system still write back what was queued or delivered before. */
const SETTLE_MS = 1_000
const ROUNDS = 11

/**
 * Compares webhook deliveries with a bare loop of the same HTTP client against the same receiver, which verifies signatures as receivers
 * do; and a long queue with a short one.
 */
export const benchWebhooks = () => withDatabase(deliveries)

async function deliveries(): Promise<Row[]> {
  services().settings = { ...env(), WEBHOOK_ALLOWED_HOSTS: ['127.0.0.1'] }
  await notifications().start()
  const ctx = await makeAccount()
  const { id, secret } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const receiver = await startChild('receiver', { secret })
  const url = `${receiver.url}/hooks`
  await db().webhookEndpoint.update({ where: { id }, data: { url } })

  const short = await interleaved(
    ROUNDS,
    () => delivered(ctx, id, DELIVERIES),
    () => bareLoop(url, secret),
  )
  const rows: Row[] = [
    {
      work: `webhook deliveries, ${AT_ONCE} at once`,
      baseline: 'a bare loop of the same HTTP client',
      rate: short.a,
      ceiling: short.b,
      ratio: short.ratio,
      reach: 0.5,
    },
  ]
  await enqueue(ctx, id, QUEUED)
  const long = await interleaved(
    ROUNDS,
    async () => {
      const rate = await drained(DELIVERIES)
      await enqueue(ctx, id, DELIVERIES)
      return rate
    },
    () => bareLoop(url, secret),
  )
  rows.push({
    work: `webhook deliveries, ${QUEUED.toLocaleString('en-US')} queued`,
    baseline: 'a short queue, both as a share of the bare loop',
    rate: long.a,
    ceiling: short.a,
    ratio: long.ratio / short.ratio,
    reach: 0.8,
  })
  await notifications().stop()
  await receiver.stop()
  return rows
}

/** Inserts this many events with their deliveries, queued at once. */
async function enqueue(ctx: AccountCtx, endpointId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= BATCH) await enqueueBatch(ctx, endpointId, Math.min(left, BATCH))
  await pool().query('ANALYZE webhook_event, webhook_delivery, webhook_queue')
}

async function enqueueBatch({ accountId }: AccountCtx, endpointId: string, count: number): Promise<void> {
  const data = JSON.stringify(EVENTS['video.processing.completed'].sample)
  await pool().query(
    `WITH events AS (
       INSERT INTO webhook_event (id, account_id, type, created_at, payload)
       SELECT made.id, $1, 'video.processing.completed', now(), '{"eventId":"' || made.id || '","eventType":"video.processing.completed","createdAt":"2026-11-21T09:00:00.000Z","data":' || $2::text || '}'
       FROM (SELECT new_event_id() AS id FROM generate_series(1, $3::int)) AS made RETURNING id),
     made AS (INSERT INTO webhook_delivery (account_id, endpoint_id, event_id) SELECT $1, $4, id FROM events RETURNING id, event_id)
     INSERT INTO webhook_queue (delivery_id, account_id, endpoint_id, event_id, due_at) SELECT id, $1, $4, event_id, now() FROM made`,
    [accountId, data, count, endpointId],
  )
}

/** Returns deliveries per second, of this many that were queued at once. */
async function delivered(ctx: AccountCtx, endpointId: string, count: number): Promise<number> {
  await enqueue(ctx, endpointId, count)
  return drained(count)
}

/** Returns deliveries per second until nine tenths of the count are delivered: at the end fewer remain than can run concurrently. */
async function drained(count: number): Promise<number> {
  const before = await done()
  await wait(SETTLE_MS)
  const dispatcher = new Dispatcher({ perEndpoint: AT_ONCE })
  const began = performance.now()
  dispatcher.start()
  const reached = async (part: number) => {
    for (;;) {
      // A poll costs the database as much as a dozen deliveries.
      await wait(100)
      const now = await done()
      if (now >= before + count * part) return now - before
    }
  }
  const rate = (await reached(0.9)) / ((performance.now() - began) / 1_000)
  await reached(1)
  await dispatcher.stop()
  return rate
}

/** Returns the value of the attempts' sequence, whose read is cheap at any size: each attempt is a delivery here. */
async function done(): Promise<number> {
  const { rows } = await pool().query<{ n: number }>(
    'SELECT (CASE WHEN is_called THEN last_value ELSE 0 END)::float8 AS n FROM webhook_attempt_id_seq',
  )
  return rows[0]?.n ?? 0
}

/** Returns requests per second: the same client sends one event repeatedly, in the service's format, and nothing else. */
async function bareLoop(url: string, secret: string): Promise<number> {
  const agent = ssrfSafeAgent({ connections: AT_ONCE, patienceMs: PATIENCE_MS })
  const { rows } = await pool().query<{ payload: string }>('SELECT payload FROM webhook_event LIMIT 1')
  const body = rows[0]?.payload ?? ''
  const { origin, pathname: path } = new URL(url)
  const signature = signatureHeader([secret], Math.floor(Date.now() / 1_000), body)
  const headers = { 'content-type': 'application/json', 'user-agent': 'Reelgate-Webhooks', 'x-service-signature': signature }
  let left = DELIVERIES
  await wait(SETTLE_MS)
  const began = performance.now()
  const loop = async () => {
    while (left-- > 0) {
      const answer = await agent.request({ origin, path, method: 'POST', headers, body })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, loop))
  const rate = DELIVERIES / ((performance.now() - began) / 1_000)
  await agent.destroy()
  return rate
}
