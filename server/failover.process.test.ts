import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { closeDb, query } from './platform/database/database.ts'
import { migrate } from './platform/database/migrate.ts'
import { notifications } from './platform/database/notifications.ts'
import { send } from './testing/client.ts'
import { expectLoggedErrors } from './testing/logs.ts'
import { makeAccount, makeKey, makeVideo } from './testing/make.ts'
import { findPostgres, startPostgresPair } from './testing/services/postgres-pair.ts'
import { startWebProcess } from './testing/services/web-process.ts'
import { provide } from './testing/settings.ts'

expectLoggedErrors(/.*/)

/** Longest time in milliseconds from the promotion of the standby until requests succeed. */
const HEALTHY_MS = 5_000

const bin = findPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'reelgate-failover-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

describe.runIf(process.env.REELGATE_SOAK && bin)('a failover to a standby', () => {
  test('loses nothing that was acknowledged, and requests succeed soon after the promotion', async () => {
    const postgres = await startPostgresPair(bin as string)
    const { url } = postgres
    const REELGATE_SECRET = 'a secret for tests, the same in each of their processes'
    provide({ DATABASE_URL: url, DATA_DIR: dataDir, REELGATE_SECRET, BASE_URL: 'http://localhost', LOG_LEVEL: 'error' })
    await migrate(url)
    await notifications().start()
    const owner = await makeAccount()
    const key = await makeKey(owner)
    const path = `/v1/video/${await makeVideo(owner)}/playback-token`
    const web = await startWebProcess()

    let acknowledged = 0
    let unknown = 0
    let over = false
    let promotedAt = Number.POSITIVE_INFINITY
    let firstAfter: number | undefined
    const refusals = new Map<string, number>()
    const client = (async () => {
      while (!over) {
        const askedAt = performance.now()
        const answer = await send(web.url + path, { method: 'POST', headers: { 'x-service-key': key.value } })
        if (answer.status === 200) {
          acknowledged++
          if (askedAt > promotedAt) firstAfter ??= performance.now()
        } else {
          unknown++
          const code = `${answer.status} ${JSON.parse(answer.body).error?.code} ${answer.headers['retry-after']}`
          refusals.set(code, (refusals.get(code) ?? 0) + 1)
        }
        await wait(10)
      }
    })()
    await expect.poll(() => acknowledged).toBeGreaterThan(300)
    await postgres.stopPrimary()
    await expect.poll(() => unknown).toBeGreaterThan(0)
    await postgres.promote()
    promotedAt = performance.now()
    await expect.poll(() => firstAfter !== undefined, { interval: 20 }).toBe(true)
    const ready = async () => (await fetch(`${web.url}/readyz`)).status
    await expect.poll(ready, { interval: 20 }).toBe(200)
    const readyAfter = Math.round(performance.now() - promotedAt)
    over = true
    await client
    const [row] = await query<{ granted: string }>('granted', 'SELECT sum(issued)::text AS granted FROM key_day', [])
    const granted = Number(row?.granted)
    const tokenAfter = Math.round((firstAfter as number) - promotedAt)
    console.log(
      `failover: ${acknowledged} tokens acknowledged, ${granted} granted, refused: ${[...refusals].map(String).join(' · ')}; after the promotion: first token ${tokenAfter} ms, ready ${readyAfter} ms`,
    )
    expect(granted).toBeGreaterThanOrEqual(acknowledged)
    expect(granted).toBeLessThanOrEqual(acknowledged + unknown)
    expect([...refusals.keys()]).toEqual(['503 SERVICE_UNAVAILABLE 5'])
    expect(Math.max(tokenAfter, readyAfter)).toBeLessThan(HEALTHY_MS)
    await web.kill()
    await notifications().stop()
    await closeDb()
  })
})
