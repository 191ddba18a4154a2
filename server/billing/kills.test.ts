import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { db, query } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { send } from '../testing/client.ts'
import { stopClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { type ServerProcess, startProcess } from '../testing/processes.ts'
import { readBooks } from './books.ts'
import { closeAllHours } from './close-hours.ts'
import { giveCredit } from './credit.ts'
import { Verifier } from './verify.ts'

const LONG = Boolean(process.env.REELGATE_SOAK)
const [OPERATIONS, KILLS, INSIDE] = LONG ? [10_000, 200, 50] : [300, 6, 0]
const [PROCESSES, CALLERS, PRICE] = [4, 12, 500n]

await testDatabase()
const put = await stopClock('2026-11-21T09:10:00Z')

let owner: AccountCtx
let videoId: string
const keys: { id: string; value: string }[] = []
beforeAll(async () => {
  owner = await makeAccount()
  videoId = await makeVideo(owner)
  await db().account.update({ where: { id: owner.accountId }, data: { tier: 'PAID' } })
  for (let n = 0; n < 3; n++) keys.push(await makeKey(owner))
})

const operator = (): AccountCtx => ({ ...owner, actor: { kind: 'operator' } })

/** Told apart in the database by its name. */
async function start(name: string): Promise<ServerProcess & { name: string }> {
  const url = new URL(env().DATABASE_URL as string)
  url.searchParams.set('application_name', name)
  return { ...(await startProcess({ settings: { DATABASE_URL: url.href } })), name }
}

/** Whether a connection of this process, which stands still, is inside a transaction that has written something. */
async function isInside(name: string): Promise<boolean> {
  const rows = await query('inside', `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND backend_xid IS NOT NULL`, [name])
  return rows.length > 0
}

test(`${KILLS} kills during ${OPERATIONS} operations: nothing acknowledged is lost, nothing is paid for twice`, {
  timeout: 30 * 60_000,
}, async () => {
  const credited = BigInt(OPERATIONS) * PRICE * 2n
  await giveCredit(operator(), { credits: credited, reason: 'Enough' })
  const alive = await Promise.all(Array.from({ length: PROCESSES }, (_, n) => start(`p${n}`)))
  const restarts: Promise<unknown>[] = []
  const tokens = new Map<number, string>()
  let [next, allowed, attempts] = [0, 0, 0]

  /** As a careful client does it: again under the same Idempotency-Key until there is an answer. */
  const operate = async (operation: number) => {
    const key = keys[operation % keys.length] as (typeof keys)[number]
    for (;;) {
      attempts++
      const { url } = alive[randomInt(alive.length)] as ServerProcess
      const headers = { 'x-service-key': key.value, 'Idempotency-Key': `operation ${operation}` }
      const answer = await send(`${url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers }).catch(() => undefined)
      if (answer?.status === 200) return void tokens.set(operation, JSON.parse(answer.body).data.token)
      if (answer) expect(answer.status).toBeGreaterThanOrEqual(500)
      else await wait(5)
    }
  }
  const callers = Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (next < OPERATIONS) {
        if (next < allowed) await operate(next++)
        else await wait(2)
      }
    }),
  )

  let inside = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const [begun, end] = [kill, kill + 1].map((block) => Math.floor((OPERATIONS * block) / KILLS)) as [number, number]
    allowed = end
    while (tokens.size < begun + randomInt((end - begun) >> 1)) await wait(1)
    while (alive.length < 2) await wait(20)
    const victim = alive[randomInt(alive.length)] as (typeof alive)[number]
    // Stopped first: what the database then shows of it cannot change before it is killed. Every other time, not before it is inside.
    process.kill(victim.pid, 'SIGSTOP')
    for (let tries = 0; kill % 2 === 0 && tries < 40 && next < end && !(await isInside(victim.name)); tries++) {
      process.kill(victim.pid, 'SIGCONT')
      await wait(randomInt(4))
      process.kill(victim.pid, 'SIGSTOP')
    }
    if (await isInside(victim.name)) inside++
    alive.splice(alive.indexOf(victim), 1)
    await victim.kill()
    restarts.push(start(`p${PROCESSES + kill}`).then((fresh) => alive.push(fresh)))
  }
  await callers
  await Promise.all(restarts)

  expect(tokens.size).toBe(OPERATIONS)
  expect(new Set(tokens.values()).size).toBe(OPERATIONS)
  await put('2026-11-21T10:10:00Z')
  await closeAllHours()
  const verifier = new Verifier()
  await readBooks((record) => verifier.take(record))
  const verdict = verifier.end()
  expect(verdict.faults).toEqual([])
  expect(verdict.tokens).toBe(OPERATIONS)
  const { balance } = await db().wallet.findUniqueOrThrow({ where: { accountId: owner.accountId } })
  expect(balance).toBe(credited - BigInt(OPERATIONS) * PRICE)
  console.log(`${KILLS} kills, ${inside} inside a transaction, ${attempts} attempts for ${OPERATIONS} tokens, ${verdict.tokens} paid for`)
  expect(inside).toBeGreaterThanOrEqual(INSIDE)
})
