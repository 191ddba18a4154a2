import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import Stripe from 'stripe'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { env } from '../../platform/config/config.ts'
import { db, query } from '../../platform/database/database.ts'
import { checkoutEvent } from '../../testing/billing/stripe-events.ts'
import { type ClientResponse, send } from '../../testing/client.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import { rounds } from '../../testing/media/rounds.ts'
import { startWebProcess, type WebProcess } from '../../testing/services/web-process.ts'
import { closeAllHours } from './close-hours.ts'
import { giveCredit } from './credit.ts'
import { exportLedger } from './export-ledger.ts'
import { Verifier } from './verify-ledger.ts'

const [OPERATIONS, KILLS, INSIDE] = [rounds(150, 10_000), rounds(2, 200), rounds(0, 50)]
const [PROCESSES, CALLERS, PRICE, HOURS] = [rounds(3, 4), 12, 500n, 5]
const SECRET = 'whsec_for_tests'
const BOUGHT = 1_000n * PRICE

await testDatabase()
const put = await stopClock('2026-11-21T09:10:00Z')

interface Payer {
  ctx: AccountCtx
  videoId: string
  keys: { id: string; value: string }[]
}
async function payer(keys: number, credits: bigint): Promise<Payer> {
  const ctx = await makeAccount()
  await db().account.update({ where: { id: ctx.accountId }, data: { tier: 'PAID' } })
  await giveCredit({ ...ctx, actor: { kind: 'operator' } }, { credits, reason: 'Enough' })
  return { ctx, videoId: await makeVideo(ctx), keys: await Promise.all(Array.from({ length: keys }, () => makeKey(ctx))) }
}

/** The kind of an operation by its number: most issue tokens for an account that pays for each. */
const TWENTIETHS = [...Array(12).fill('paid'), 'flipping', 'flipping', 'falling', 'stripe', 'stripe', 'credit', 'tier', 'close'] as const
type Kind = 'paid' | 'flipping' | 'falling' | 'stripe' | 'credit' | 'tier' | 'close'
const kindOf = (operation: number): Kind => TWENTIETHS[operation % TWENTIETHS.length] as Kind
const each = (kind: Kind) => Array.from({ length: OPERATIONS }, (_, n) => n).filter((n) => kindOf(n) === kind)
const FALLS = each('falling').length

/** Three accounts: one pays for each token, one changes its tier repeatedly, one falls below its threshold once. */
let payers: Record<'paid' | 'flipping' | 'falling', Payer>
beforeAll(async () => {
  const enough = BigInt(OPERATIONS) * PRICE * 2n
  payers = { paid: await payer(3, enough), flipping: await payer(1, enough), falling: await payer(1, BigInt(FALLS) * PRICE) }
  const { accountId } = payers.falling.ctx
  await db().wallet.update({ where: { accountId }, data: { lowBalanceThreshold: (BigInt(FALLS) * PRICE) / 2n } })
  const payment = { accountId: payers.paid.ctx.accountId, credits: BOUGHT, amount: 4_500, currency: 'usd', createdBy: 'usr_1' }
  await db().payment.createMany({ data: each('stripe').map((n) => ({ ...payment, id: `pay_${n}` })) })
})

/** Starts a process, identified in the database by its name. */
async function start(name: string): Promise<WebProcess & { name: string }> {
  const url = new URL(env().DATABASE_URL as string)
  url.searchParams.set('application_name', name)
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: SECRET }
  return { ...(await startWebProcess({ settings: { DATABASE_URL: url.href, LOG_LEVEL: 'error', ...stripe } })), name }
}

/** Returns whether a connection of this stopped process is inside a transaction with writes. */
async function isInside(name: string): Promise<boolean> {
  const rows = await query('inside', `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND backend_xid IS NOT NULL`, [name])
  return rows.length > 0
}

/** Sends an operation once to this process. */
function attempt(url: string, operation: number): Promise<ClientResponse> {
  const kind = kindOf(operation)
  const account = payers.paid.ctx.accountId
  const post = (path: string, headers = {}, body = '') => send(`${url}${path}`, { method: 'POST', headers, body })
  if (kind === 'stripe') {
    const payload = JSON.stringify(checkoutEvent(`evt_${operation}`, { payment: `pay_${operation}`, amount: 4_500 }))
    return post('/testing/payment', { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET }) }, payload)
  }
  if (kind === 'credit') return post(`/testing/credit?account=${account}&credits=${PRICE}&reason=operation+${operation}`)
  if (kind === 'tier') {
    const tier = operation % (2 * TWENTIETHS.length) < TWENTIETHS.length ? 'FREE' : 'PAID'
    return post(`/testing/tier?account=${payers.flipping.ctx.accountId}&tier=${tier}`)
  }
  if (kind === 'close') return post('/testing/close')
  const { keys, videoId } = payers[kind]
  const key = keys[operation % keys.length] as Payer['keys'][number]
  return post(`/v1/video/${videoId}/playback-token`, { 'x-service-key': key.value, 'Idempotency-Key': `operation ${operation}` })
}

test(`${KILLS} kills during ${OPERATIONS} operations: nothing acknowledged is lost, and nothing is charged, credited or notified twice`, {
  timeout: 45 * 60_000,
}, async () => {
  const alive = await Promise.all(Array.from({ length: PROCESSES }, (_, n) => start(`p${n}`)))
  const restarts: Promise<unknown>[] = []
  const done = new Map<number, ClientResponse>()
  let [next, allowed, attempts] = [0, 0, 0]

  /** Repeats a request until it has a response, as clients and Stripe do. Stripe also repeats requests that had one. */
  const operate = async (operation: number) => {
    for (;;) {
      attempts++
      const { url } = alive[randomInt(alive.length)] as WebProcess
      const answer = await attempt(url, operation).catch(() => undefined)
      if (answer?.status === 200) {
        if (kindOf(operation) === 'stripe') void attempt(url, operation).catch(() => {})
        return void done.set(operation, answer)
      }
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
    // Ends an hour only without requests in flight: a request repeated after five minutes counts as a new one.
    if (kill % Math.ceil(KILLS / HOURS) === 0) {
      while (done.size < allowed) await wait(2)
      await put(new Date(Date.parse('2026-11-21T09:10:00Z') + Math.floor((kill * HOURS) / KILLS) * 3_600_000))
    }
    allowed = end
    while (done.size < begun + randomInt(Math.max(1, (end - begun) >> 1))) await wait(1)
    while (alive.length < 2) await wait(20)
    const victim = alive[randomInt(alive.length)] as (typeof alive)[number]
    // Stops the process first, so that its state in the database is fixed. Every other kill waits for an open transaction.
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
  // Sends every payment event once more, to processes that were not killed.
  for (const operation of each('stripe')) expect((await attempt(alive[0]?.url as string, operation)).status).toBe(200)

  await put('2026-11-21T20:10:00Z')
  await closeAllHours()
  const verifier = new Verifier()
  await exportLedger((record) => verifier.take(record))
  const verdict = verifier.end()
  expect(verdict.faults).toEqual([])

  const tokensOf = (kind: Kind) => each(kind).map((operation) => JSON.parse(done.get(operation)?.body as string).data.token as string)
  const sums = async ({ ctx: { accountId } }: Payer) => {
    const wallet = await db().wallet.findUniqueOrThrow({ where: { accountId } })
    const { _sum } = await db().chargeHour.aggregate({ where: { accountId }, _sum: { tokens: true } })
    const { _sum: days } = await db().keyDay.aggregate({ where: { key: { accountId } }, _sum: { issued: true } })
    return { balance: wallet.balance, paid: _sum.tokens ?? 0, issued: days.issued ?? 0 }
  }
  const entries = (kind: string) => db().ledgerEntry.findMany({ where: { accountId: payers.paid.ctx.accountId, kind } })
  for (const kind of ['paid', 'flipping', 'falling'] as const) expect(new Set(tokensOf(kind)).size).toBe(each(kind).length)

  // Each payment is credited once, however often its event is delivered; each acknowledged credit is kept.
  const topUps = await entries('top_up')
  expect(topUps.map(({ reference }) => reference).sort()).toEqual(
    each('stripe')
      .map((n) => `stripe:cs_test_pay_${n}`)
      .sort(),
  )
  const credits = await entries('credit')
  const given = new Set(credits.map(({ reason }) => reason))
  for (const operation of each('credit')) expect(given).toContain(`operation ${operation}`)

  const paid = await sums(payers.paid)
  const count = each('paid').length
  expect(paid).toMatchObject({ paid: count, issued: count })
  const added = [...topUps, ...credits].reduce((sum, { amount }) => sum + amount, 0n)
  expect(paid.balance).toBe(added - BigInt(count) * PRICE)
  const flipping = await sums(payers.flipping)
  expect(flipping.issued).toBe(each('flipping').length)
  expect(flipping.paid).toBeLessThanOrEqual(flipping.issued)
  expect(await sums(payers.falling)).toEqual({ balance: 0n, paid: FALLS, issued: FALLS })
  const low = { accountId: payers.falling.ctx.accountId, type: 'wallet.low_balance' }
  expect(await db().webhookEvent.count({ where: low })).toBe(1)
  const refilled = { accountId: payers.paid.ctx.accountId, type: 'wallet.refilled' }
  expect(await db().webhookEvent.count({ where: refilled })).toBe(topUps.length + credits.length)

  console.log(
    `${KILLS} kills, ${inside} inside a transaction, ${attempts} attempts for ${OPERATIONS} operations; ${verdict.tokens} tokens paid for, ${topUps.length} payments credited`,
  )
  expect(inside).toBeGreaterThanOrEqual(INSIDE)
})
