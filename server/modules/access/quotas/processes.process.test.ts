import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { repeatConcurrently, send } from '../../../testing/client.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'

const PROCESSES = 4
const LIMIT = 1_000
/** Few enough that three processes alone cannot use up the quota: each must serve some. */
const EACH = 325
const ATTEMPTS = PROCESSES * EACH

await testDatabase()
// A midnight during the test would start a second quota.
await stopClock('2026-11-21T12:00:00Z')
let processes: WebProcess[]
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  processes = await startWebProcesses(PROCESSES)
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})

/** Runs one key's attempts concurrently through four processes and returns the outcome. */
async function attempt(keyValue: string, keyId: string) {
  const statuses: Record<number, number> = {}
  const served = new Map<string, number>()
  const tokens = new Set<string>()
  const left = processes.map(() => EACH)
  await repeatConcurrently(PROCESSES * 25, async (worker) => {
    const at = worker % PROCESSES
    if ((left[at] as number) <= 0) return false
    left[at] = (left[at] as number) - 1
    const { url } = processes[at] as WebProcess
    const { status, body } = await send(`${url}/v1/video/${videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': keyValue },
    })
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 200) {
      served.set(url, (served.get(url) ?? 0) + 1)
      tokens.add(JSON.parse(body).data.token)
    }
    return true
  })
  const counter = await db().keyDay.aggregate({ where: { keyId }, _sum: { issued: true } })
  return { statuses, serving: served.size, distinct: tokens.size, counter: counter._sum.issued }
}

/** The only exact outcome. */
const EXACT = { statuses: { 200: LIMIT, 429: ATTEMPTS - LIMIT }, serving: PROCESSES, distinct: LIMIT, counter: LIMIT }

describe(`${ATTEMPTS} attempts through ${PROCESSES} processes`, () => {
  test(`exactly ${LIMIT} succeed, each process serves some, and the counter equals the limit`, async () => {
    const key = await makeKey(owner)
    expect(await attempt(key.value, key.id)).toEqual(EXACT)
  })

  test.each(['read-then-write', 'per-process'] as const)(
    'the same check detects a quota that counts incorrectly: %s',
    { tags: ['deep'] },
    async (how) => {
      await Promise.all(processes.map((process) => process.count(how)))
      const key = await makeKey(owner)
      const outcome = await attempt(key.value, key.id)
      await Promise.all(processes.map((process) => process.count('exact')))
      expect(outcome).not.toEqual(EXACT)
      expect(outcome.statuses[200]).toBeGreaterThan(LIMIT)
    },
  )

  test('two keys are counted separately, and a raised quota is granted up to its last unit', async () => {
    const [one, two] = [await makeKey(owner), await makeKey(owner)]
    await db().apiKey.update({ where: { id: two.id }, data: { dailyQuota: 137 } })
    const [first, second] = await Promise.all([attempt(one.value, one.id), attempt(two.value, two.id)])
    expect(first).toEqual(EXACT)
    expect(second).toMatchObject({ statuses: { 200: 137, 429: ATTEMPTS - 137 }, distinct: 137, counter: 137 })
  })
})
