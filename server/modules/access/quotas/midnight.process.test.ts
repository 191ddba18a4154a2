import fc from 'fast-check'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { send } from '../../../testing/client.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { startWebProcess, type WebProcess } from '../../../testing/services/web-process.ts'

const HOUR = 3_600_000
const { url: databaseUrl } = await testDatabase()
// Sessions of the database use a time zone other than UTC.
await query('', `ALTER DATABASE ${pg.escapeIdentifier(new URL(databaseUrl).pathname.slice(1))} SET timezone = 'Asia/Kathmandu'`, [])
const put = await stopClock('2026-11-21T12:00:00Z')

let processes: WebProcess[]
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  processes = await Promise.all([
    startWebProcess({ clockAheadMs: 26 * HOUR, timeZone: 'Pacific/Kiritimati' }),
    startWebProcess({ clockAheadMs: -31 * HOUR, timeZone: 'America/St_Johns' }),
    startWebProcess({ timeZone: 'Europe/Berlin' }),
  ])
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})

const issue = (process: number, key: string, headers = {}, video = videoId) =>
  send(`${(processes[process] as WebProcess).url}/v1/video/${video}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': key, ...headers },
  })

async function makeKeyOf(dailyQuota: number) {
  const key = await makeKey(owner)
  await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota } })
  return key
}

async function issuedByDay(keyId: string): Promise<Record<string, number>> {
  const rows = await query<{ day: string; issued: number }>(
    'days-of-key',
    'SELECT day::text, issued FROM key_day WHERE key_id = $1 AND issued > 0',
    [keyId],
  )
  return Object.fromEntries(rows.map(({ day, issued }) => [day, issued]))
}

/** Microseconds since 1970: the resolution of the database's clock. */
const DAY = 86_400_000_000n
const at = (micros: bigint) => `${new Date(Number(micros / 1_000n)).toISOString().slice(0, -1)}${String(micros % 1_000n).padStart(3, '0')}Z`
const seconds = (micros: bigint) => Number(micros / 1_000_000n)
const claims = (body: string) => JSON.parse(Buffer.from(JSON.parse(body).data.token.split('.')[1], 'base64url').toString())

/** Midnights at a change of month, year, leap day or daylight saving time in some calendar or zone. */
const MIDNIGHTS = ['2026-11-22', '2027-01-01', '2028-02-29', '2028-03-01', '2026-03-29', '2026-10-25', '2026-11-01']

const step = fc.record({
  /** Offset from midnight in microseconds; the clock may also step back. */
  offset: fc.oneof(
    fc.constantFrom(-1, 0, 1, -1_000, 999, 1_000, -999_999, -1_000_000, -1_000_001, 999_999, 1_000_000),
    fc.integer({ min: -5_000_000, max: 5_000_000 }),
    fc.integer({ min: -86_400_000_000, max: 86_399_999_999 }),
  ),
  process: fc.nat(2),
  attempts: fc.integer({ min: 1, max: 4 }),
  absent: fc.boolean(),
})
const history = fc.record({
  midnight: fc.constantFrom(...MIDNIGHTS),
  quota: fc.integer({ min: 1, max: 6 }),
  steps: fc.array(step, { minLength: 2, maxLength: 8 }),
})

describe('the database’s clock determines the UTC day, whatever the processes’ clocks and zones', () => {
  test('day count, reset, Retry-After, iat and exp are correct around any midnight; no unit is counted twice or lost', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ midnight, quota, steps }) => {
        const key = await makeKeyOf(quota)
        const used = new Map<bigint, number>()
        for (const { offset, process, attempts, absent } of steps) {
          const now = BigInt(Date.parse(midnight)) * 1_000n + BigInt(offset)
          const day = now / DAY
          const reset = (day + 1n) * DAY
          await put(at(now))
          const answers = await Promise.all(
            Array.from({ length: attempts }, (_, index) => issue((process + index) % 3, key.value, {}, absent ? 'vid_absent' : videoId)),
          )
          const before = used.get(day) ?? 0
          const granted = absent ? 0 : Math.min(attempts, quota - before)
          used.set(day, before + granted)
          expect(answers.filter(({ status }) => status === 200)).toHaveLength(granted)
          expect(answers.filter(({ status }) => status === (absent ? 404 : 429))).toHaveLength(attempts - granted)
          const remaining = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a)
          expect(remaining).toEqual(answers.map((_, index) => (absent ? quota - before : Math.max(0, quota - before - index - 1))))
          for (const { status, headers, body } of answers) {
            expect([headers['x-ratelimit-limit'], headers['x-ratelimit-reset']]).toEqual([String(quota), String(seconds(reset))])
            if (status === 200) expect(claims(body)).toMatchObject({ iat: seconds(now), exp: seconds(now) + 300, videoId })
            if (status !== 429) continue
            const retryAfter = seconds(reset - now + 999_999n)
            expect([Number(headers['retry-after']), JSON.parse(body).error.retryAfter]).toEqual([retryAfter, retryAfter])
          }
        }
        const counted = [...used].filter(([, issued]) => issued > 0).map(([day, issued]) => [at(day * DAY).slice(0, 10), issued])
        expect(await issuedByDay(key.id)).toEqual(Object.fromEntries(counted))
      }),
      { numRuns: 60 },
    )
  })

  test('a repeated Idempotency-Key returns its token after midnight without a charge on the new day', async () => {
    const key = await makeKeyOf(2)
    const headers = { 'Idempotency-Key': 'night' }
    await put('2026-11-21T23:59:58.5Z')
    const first = await issue(0, key.value, headers)
    await put('2026-11-22T00:00:01Z')
    const again = await Promise.all([0, 1, 2].map((process) => issue(process, key.value, headers)))
    for (const answer of again) {
      const { token, expiresIn } = JSON.parse(answer.body).data
      expect(token).toBe(JSON.parse(first.body).data.token)
      expect(expiresIn).toBeLessThanOrEqual(300)
      expect(answer.headers).toMatchObject({ 'x-ratelimit-remaining': '2', 'x-ratelimit-reset': String(Date.UTC(2026, 10, 23) / 1000) })
    }
    await put('2026-11-22T00:04:58.6Z')
    const fresh = await issue(1, key.value, headers)
    expect(JSON.parse(fresh.body).data.token).not.toBe(JSON.parse(first.body).data.token)
    expect(fresh.headers['x-ratelimit-remaining']).toBe('1')
  })

  test('an attempt that waits past midnight counts entirely on one day', async () => {
    const key = await makeKeyOf(4)
    await put('2026-11-21T23:59:59.9Z')
    await issue(0, key.value)
    const holder = new pg.Client({ connectionString: databaseUrl })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE key_day IN ACCESS EXCLUSIVE MODE')
    const waiting = [0, 1, 2].map((process) => issue(process, key.value))
    // Only this database, and without the periodic count writes of the processes, which wait here as well.
    const waits = async () => {
      const granting = `wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%FOR SHARE OF k%'`
      return (await query('grants-waiting', `SELECT 1 FROM pg_stat_activity WHERE ${granting}`, [])).length
    }
    await expect.poll(waits, { interval: 5 }).toBe(3)
    await put('2026-11-22T00:00:00.1Z')
    await holder.query('COMMIT')
    await holder.end()
    const answers = await Promise.all(waiting)
    const issued: Record<string, number> = { '2026-11-21': 1 }
    for (const { status, headers, body } of answers) {
      expect(status).toBe(200)
      const day = new Date((Number(headers['x-ratelimit-reset']) - 86_400) * 1000).toISOString().slice(0, 10)
      expect(new Date(claims(body).iat * 1000).toISOString().slice(0, 10)).toBe(day)
      issued[day] = (issued[day] ?? 0) + 1
    }
    expect(await issuedByDay(key.id)).toEqual(issued)
  })

  test('a token is valid and expires by the database’s clock in every process', async () => {
    const key = await makeKeyOf(3)
    await put('2026-11-21T23:58:00.2Z')
    const exchange = (process: WebProcess, token: string) => send(`${process.url}/v1/video/playback/manifest/${token}`)
    for (const [index] of processes.entries()) {
      await put('2026-11-21T23:58:00.2Z')
      const { token } = JSON.parse((await issue(index, key.value)).body).data
      for (const [moment, code] of [
        ['2026-11-22T00:02:59.2Z', undefined],
        ['2026-11-22T00:03:00.2Z', 'PLAYBACK_TOKEN_EXPIRED'],
        ['2026-11-22T00:02:00.2Z', undefined],
      ] as const) {
        await put(moment)
        // A process receives the clock's change with its next heartbeat.
        for (const process of processes) {
          const answer = async () => JSON.parse((await exchange(process, token)).body).error?.code
          await expect.poll(answer, { interval: 20 }).toBe(code)
        }
      }
    }
  })
})
