import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import pg from 'pg'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { repeatConcurrently, send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { databaseProxy } from '../../../testing/services/database-proxy.ts'
import { startWebProcess, startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'
import { publicKeys } from '../../audit/receipts/signing-keys.ts'
import { downloadReceipt } from '../../dashboard/receipt-file.ts'
import type { CreatedKey } from './create-key.ts'
import { disableKey, enableKey, revokeKey } from './end-key.ts'
import { rotateKey } from './rotate-key.ts'
import { type KeyStop, readKeyStop } from './stop-key.ts'

const { url: databaseUrl } = await testDatabase()
let processes: WebProcess[]
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  processes = await startWebProcesses(3)
  owner = await makeAccount()
  videoId = await makeVideo(owner, { durationSec: 20 })
})
afterEach(() => {
  for (const { pid } of processes) process.kill(pid, 'SIGCONT')
})

const read = (at: WebProcess, key: CreatedKey) => send(`${at.url}/v1/video/${videoId}`, { headers: { 'x-service-key': key.value } })
const stopOf = async (key: CreatedKey) => (await readKeyStop(owner, { keyId: key.id })) as KeyStop
const answerOf = (stop: KeyStop, { pid }: WebProcess) => stop.processes.find((one) => one.pid === pid)
const states = (stop: KeyStop) => stop.processes.map(({ state }) => state)
const confirmed = (key: CreatedKey, count: number) =>
  expect.poll(async () => states(await stopOf(key)).filter((state) => state === 'confirmed').length, { interval: 10 }).toBe(count)

/** Creates a key that each process has in its cache. */
async function makeWarmKey(): Promise<CreatedKey> {
  const key = await makeKey(owner)
  for (let round = 0; round < 2; round++) for (const one of processes) expect((await read(one, key)).status).toBe(200)
  return key
}

describe('after a revocation', () => {
  it('each process reports when it stopped accepting the key and which request it accepted last', async () => {
    const key = await makeWarmKey()
    const others = await makeWarmKey()
    await revokeKey(owner, { keyId: key.id })
    await confirmed(key, 3)
    const stop = await stopOf(key)
    expect(stop).toMatchObject({ kind: 'key.revocation', keyPrefix: key.prefix })
    expect(stop.processes.map(({ pid }) => pid).sort()).toEqual(processes.map(({ pid }) => pid).sort())
    for (const { refusedAt, lastAcceptedAt } of stop.processes) {
      expect(refusedAt?.getTime()).toBeGreaterThanOrEqual(stop.at.getTime())
      expect(lastAcceptedAt?.getTime()).toBeLessThanOrEqual(refusedAt?.getTime() as number)
    }
    expect(stop.lastAcceptedAt).toEqual(new Date(Math.max(...stop.processes.map(({ lastAcceptedAt }) => lastAcceptedAt?.getTime() ?? 0))))
    expect(stop.stillValid).toEqual({
      tokensUntil: new Date(stop.at.getTime() + 300_000),
      sessionsUntil: new Date(stop.at.getTime() + 300_000 + 24 * 3_600_000),
    })
    expect(await readKeyStop(owner, { keyId: others.id })).toBeUndefined()
  })

  it('under load, no process accepts a request after its reported refusal', async () => {
    const key = await makeWarmKey()
    const accepted = processes.map(() => 0)
    const after: number[] = []
    let seen: (string | undefined)[] = []
    let over = false
    const reading = repeatConcurrently(processes.length * 2, async (worker) => {
      const at = worker % processes.length
      const saidBefore = seen[at] === 'confirmed'
      const { status } = await read(processes[at] as WebProcess, key)
      if (status === 200) accepted[at] = (accepted[at] as number) + 1
      if (saidBefore) after.push(status)
      return !over
    })
    await expect.poll(() => Math.min(...accepted), { interval: 1 }).toBeGreaterThan(20)
    await revokeKey(owner, { keyId: key.id })
    await expect
      .poll(
        async () => {
          const stop = await stopOf(key)
          seen = processes.map((one) => answerOf(stop, one)?.state)
          return seen
        },
        { interval: 5 },
      )
      .toEqual(processes.map(() => 'confirmed'))
    await expect.poll(() => after.length, { interval: 5 }).toBeGreaterThan(30)
    over = true
    await reading
    expect(new Set(after)).toEqual(new Set([401]))
    const stop = await stopOf(key)
    for (const { refusedAt, lastAcceptedAt } of stop.processes)
      expect(lastAcceptedAt?.getTime()).toBeLessThanOrEqual(refusedAt?.getTime() as number)
  })

  it('a request in flight counts as accepted, though it is refused later', async () => {
    const [one] = processes as [WebProcess]
    const key = await makeKey(owner)
    const holder = new pg.Client({ connectionString: databaseUrl })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM api_key WHERE id = $1 FOR UPDATE', [key.id])
    const inFlight = send(`${one.url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key.value } })
    const waits = async () =>
      (
        await db().$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%FOR SHARE OF k%'`
      ).length
    await expect.poll(waits, { interval: 5 }).toBeGreaterThan(0)
    await holder.query(`UPDATE api_key SET revoked_at = service_now() WHERE id = $1`, [key.id])
    await holder.query('COMMIT')
    await holder.end()
    expect((await inFlight).status).toBe(401)
    await confirmed(key, 3)
    const stop = await stopOf(key)
    const { lastAcceptedAt, refusedAt } = answerOf(stop, one) as { lastAcceptedAt: Date; refusedAt: Date }
    expect(lastAcceptedAt.getTime()).toBeLessThanOrEqual(refusedAt.getTime())
    expect(stop.processes.filter(({ lastAcceptedAt }) => lastAcceptedAt !== null)).toHaveLength(1)
  })

  it('a paused process is shown as unconfirmed, and refuses and confirms when it resumes', async () => {
    const key = await makeWarmKey()
    const [asleep] = processes as [WebProcess]
    process.kill(asleep.pid, 'SIGSTOP')
    await revokeKey(owner, { keyId: key.id })
    await confirmed(key, 2)
    expect(answerOf(await stopOf(key), asleep)).toMatchObject({ refusedAt: null, lastAcceptedAt: null })
    // Moves the stop into the past, so that the time for a report has passed.
    await db().$executeRaw`UPDATE key_stop SET at = at - interval '6 seconds' WHERE key_id = ${key.id}`
    expect(answerOf(await stopOf(key), asleep)).toMatchObject({ state: 'unconfirmed' })
    process.kill(asleep.pid, 'SIGCONT')
    await confirmed(key, 3)
    expect((await read(asleep, key)).status).toBe(401)
    expect(answerOf(await stopOf(key), asleep)).toMatchObject({ state: 'confirmed' })
  })

  it('a process that misses the notification confirms after its periodic query', async () => {
    const proxy = await databaseProxy(databaseUrl)
    const deaf = await startWebProcess({ settings: { DATABASE_URL: proxy.url } })
    const key = await makeWarmKey()
    expect((await read(deaf, key)).status).toBe(200)
    proxy.silence()
    await revokeKey(owner, { keyId: key.id })
    await confirmed(key, 3)
    proxy.heal()
    await confirmed(key, 4)
    await deaf.stop()
  })

  it('a process that has shut down gets no entry, and one that ends before its report is shown as ended', async () => {
    const leaving = await startWebProcess()
    const [first, second] = [await makeKey(owner), await makeKey(owner)]
    process.kill(leaving.pid, 'SIGSTOP')
    await revokeKey(owner, { keyId: first.id })
    await confirmed(first, 3)
    // Equal to the process's own last statement, which a resumed process cannot run before its report.
    const asked = answerOf(await stopOf(first), leaving)
    await db().$executeRaw`UPDATE key_stop_process SET ended_at = service_clock() WHERE process_id = ${asked?.id} AND refused_at IS NULL`
    expect(answerOf(await stopOf(first), leaving)).toMatchObject({ state: 'ended' })
    process.kill(leaving.pid, 'SIGCONT')
    await leaving.stop()
    await revokeKey(owner, { keyId: second.id })
    await confirmed(second, 3)
    expect((await stopOf(second)).processes).toHaveLength(3)
  })
})

it('each disabling has a receipt as well', async () => {
  const key = await makeWarmKey()
  await disableKey(owner, { keyId: key.id })
  await confirmed(key, 3)
  const first = await stopOf(key)
  expect(first.kind).toBe('key.disabled')
  await enableKey(owner, { keyId: key.id })
  for (const one of processes) expect((await read(one, key)).status).toBe(200)
  await disableKey(owner, { keyId: key.id })
  await confirmed(key, 3)
  const second = await stopOf(key)
  expect(second.id).not.toBe(first.id)
  expect(second.lastAcceptedAt?.getTime()).toBeGreaterThan(first.lastAcceptedAt?.getTime() as number)
})

it('a rotation without overlap has a receipt; one with an overlap has none yet', async () => {
  const [now, later] = [await makeKey(owner), await makeKey(owner)]
  await rotateKey(owner, { address: '192.0.2.1' }, { keyId: now.id, overlapSec: 0 })
  await rotateKey(owner, { address: '192.0.2.1' }, { keyId: later.id, overlapSec: 3_600 })
  await confirmed(now, 3)
  expect(await readKeyStop(owner, { keyId: later.id })).toBeUndefined()
})

it('a key that can issue no tokens leaves nothing valid', async () => {
  const key = await makeKey(owner, { scopes: ['billing:read'] })
  await revokeKey(owner, { keyId: key.id })
  expect((await stopOf(key)).stillValid).toBeNull()
})

it('the receipt is signed and contains the reports of the processes', async () => {
  const key = await makeWarmKey()
  await revokeKey(owner, { keyId: key.id })
  await confirmed(key, 3)
  const stop = await stopOf(key)
  const { name, content } = await downloadReceipt(owner, { receiptId: stop.id })
  expect(name).toBe(`reelgate-receipt-${key.id}.json`)
  const { jws, receipt } = JSON.parse(content)
  const { payload } = await jwtVerify(jws, createLocalJWKSet({ keys: await publicKeys() } as unknown as JSONWebKeySet))
  expect(receipt).toEqual(payload)
  expect(payload).toMatchObject({
    jti: stop.id,
    sub: key.id,
    kind: 'key.revocation',
    account: owner.accountId,
    stoppedAt: stop.at.toISOString(),
  })
  expect(payload.processes).toHaveLength(3)
  expect(payload.processes).toContainEqual(
    expect.objectContaining({ pid: processes[0]?.pid, state: 'confirmed', refusedAt: expect.stringMatching(/Z$/) }),
  )
})
