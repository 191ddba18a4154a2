import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { repeatConcurrently, send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { startWebProcess, type WebProcess } from '../../../testing/services/web-process.ts'
import { keyUsage } from '../key-usage.ts'
import { dayBefore } from '../range.ts'
import { usage } from '../usage.ts'
import { trafficCollector } from './collector.ts'
import type { ObservedCall } from './observed-call.ts'

await testDatabase()
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})

/** Sends requests in loops to one process until it ends; counts requests and responses. */
class Client {
  sent = 0
  answered = 0
  tokens = 0
  private ending = false
  private readonly loops: Promise<void>

  constructor(process: WebProcess, key: string, connections: number) {
    this.loops = repeatConcurrently(connections, async (worker) => {
      const path = worker % 2 === 0 ? `/v1/video/${videoId}/playback-token` : `/v1/video/${videoId}`
      this.sent++
      try {
        const { status } = await send(process.url + path, {
          method: worker % 2 === 0 ? 'POST' : 'GET',
          headers: { 'x-service-key': key },
        })
        expect(status).toBe(200)
        this.answered++
        if (worker % 2 === 0) this.tokens++
      } catch (error) {
        if (this.ending) return false
        throw error
      }
      return true
    })
  }

  /** After this, a lost connection is expected. */
  async end(stop: () => Promise<unknown>) {
    this.ending = true
    await stop()
    await this.loops
  }
}

async function makeRichKey() {
  const key = await makeKey(owner)
  await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: 10_000_000 } })
  return key
}

/** Reads a key's counters from the database. */
async function counted(keyId: string) {
  const { requestCount, lastUsedAt, days } = await db().apiKey.findUniqueOrThrow({
    where: { id: keyId },
    select: { requestCount: true, lastUsedAt: true, days: { select: { issued: true, requests: true } } },
  })
  const sum = (pick: (day: { issued: number; requests: number }) => number) => days.reduce((total, day) => total + pick(day), 0)
  return { requests: Number(requestCount), ofDays: sum((day) => day.requests), issued: sum((day) => day.issued), lastUsedAt }
}

const CONNECTIONS = 8

test('a killed process loses the counts since its last write, at most a second, and no issued token', async () => {
  const process = await startWebProcess()
  const key = await makeRichKey()
  const client = new Client(process, key.value, CONNECTIONS)

  // Each write contains every response before the previous write was seen, so no count waits longer than one interval.
  const seenAt: number[] = []
  let seen = { counted: 0, answered: 0, answeredBefore: 0 }
  while (seenAt.length < 4) {
    const answered = client.answered
    const { requests } = await counted(key.id)
    if (requests === seen.counted) continue
    expect(requests).toBeGreaterThanOrEqual(seen.answered)
    seen = { counted: requests, answered, answeredBefore: seen.answered }
    seenAt.push(performance.now())
  }
  await expect.poll(() => client.answered - seen.answered, { interval: 1 }).toBeGreaterThan(200)
  await client.end(() => process.kill())

  const { requests, ofDays, issued } = await counted(key.id)
  expect(requests).toBeGreaterThanOrEqual(seen.answeredBefore)
  expect(requests).toBeLessThanOrEqual(client.sent)
  expect(ofDays).toBe(requests)
  // The counter includes a token before its response is sent; a token in flight at the kill can be counted but not received.
  expect(issued).toBeGreaterThanOrEqual(client.tokens)
  expect(issued - client.tokens).toBeLessThanOrEqual(CONNECTIONS / 2)
  const gaps = seenAt.slice(1).map((at, index) => Math.round(at - (seenAt[index] as number)))
  console.info(
    `killed: of ${client.answered} requests answered ${client.answered - requests} were not counted; writes were ${gaps.join(', ')} ms apart`,
  )
})

test('the client’s tokens equal the counter when the process is killed after the last response', async () => {
  const process = await startWebProcess()
  const key = await makeRichKey()
  let tokens = 0
  await repeatConcurrently(10, async () => {
    const { status } = await send(`${process.url}/v1/video/${videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': key.value },
    })
    expect(status).toBe(200)
    return ++tokens < 500
  })
  await process.kill()
  expect((await counted(key.id)).issued).toBe(tokens)
  // All pages are consistent by hour and by day: tokens that the killed process did not write are in no hour but in the totals.
  const today = dayBefore(0)
  const [hourly, daily] = [await usage(owner, { from: today, to: today }), await usage(owner, { from: dayBefore(29), to: today })]
  expect([hourly.unit, daily.unit]).toEqual(['hour', 'day'])
  expect(hourly.totals.issued).toBe(daily.totals.issued)
  const placed = hourly.points.reduce((sum, { issued }) => sum + issued, 0)
  expect(placed + hourly.unplaced).toBe(daily.totals.issued)
  for (const range of ['today', '7d', '30d'] as const) expect((await keyUsage(owner, { keyId: key.id, range })).totals.issued).toBe(tokens)
})

test('a graceful stop under load loses no count and no response', async () => {
  const process = await startWebProcess()
  const key = await makeRichKey()
  const client = new Client(process, key.value, CONNECTIONS)
  await expect.poll(() => client.answered, { interval: 5 }).toBeGreaterThan(200)
  let code: number | null = null
  await client.end(async () => {
    code = await process.stop()
  })
  const { requests, ofDays, issued, lastUsedAt } = await counted(key.id)
  expect({ code, requests, ofDays, issued }).toEqual({
    code: 0,
    requests: client.answered,
    ofDays: client.answered,
    issued: client.tokens,
  })
  expect(lastUsedAt).not.toBeNull()
})

test('two processes that write the same keys concurrently lose no count and do not deadlock', async () => {
  const processes = [await startWebProcess(), await startWebProcess()]
  const keys = await Promise.all(Array.from({ length: 12 }, makeRichKey))
  const asked = new Map(keys.map(({ id }) => [id, 0]))
  let left = 1_200
  await repeatConcurrently(12, async (worker) => {
    // Each worker uses a different order of keys.
    const key = keys[(left * (worker + 1)) % keys.length] as (typeof keys)[number]
    const { url } = processes[worker % 2] as WebProcess
    expect((await send(`${url}/v1/video`, { headers: { 'x-service-key': key.value } })).status).toBe(200)
    asked.set(key.id, (asked.get(key.id) as number) + 1)
    return --left > 0
  })
  expect(await Promise.all(processes.map((process) => process.stop()))).toEqual([0, 0])
  for (const { id } of keys) expect((await counted(id)).requests).toBe(asked.get(id))
})

test('counters of a failed write are kept for the next one', async () => {
  const key = await makeRichKey()
  const request: ObservedCall = {
    method: 'GET',
    path: '/v1/video',
    search: '',
    params: {},
    requestId: 'req_kept',
    startedAt: performance.now(),
    header: () => undefined,
    address: () => '192.0.2.1',
    key: { id: key.id, accountId: owner.accountId, environment: 'LIVE' as const },
  }
  const count = () =>
    trafficCollector().record({ operationId: 'listVideos', auth: 'key', errors: [] }, request, { status: 200, headers: {} })
  for (let round = 0; round < 3; round++) count()
  trafficCollector().token({ id: key.id, accountId: owner.accountId }, false)
  await query('', 'ALTER TABLE key_day RENAME TO key_day_away', [])
  await trafficCollector().flush()
  count()
  await query('', 'ALTER TABLE key_day_away RENAME TO key_day', [])
  expect((await counted(key.id)).requests).toBe(0)
  await trafficCollector().flush()
  await trafficCollector().flush()
  expect(await counted(key.id)).toMatchObject({ requests: 4, ofDays: 4 })
})
