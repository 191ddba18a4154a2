import { describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { send } from '../../testing/client.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { startHttpServer } from '../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { grant, remainingQuota } from '../access/quotas/daily-quota.ts'
import { listQuotaRequests, requestQuota, resolveQuotaRequest } from '../access/quotas/quota-requests.ts'
import { billingOverview } from '../dashboard/billing-overview.ts'
import { readBalance } from './balance.ts'
import { closeHours } from './close-hours.ts'
import { giveCredit } from './credit.ts'
import { ledgerCsv } from './export-ledger.ts'
import { listLedger } from './ledger.ts'
import { setKeyCap, setLimits, setTier } from './set-limits.ts'
import { simulate } from './simulate.ts'
import { spend } from './spend.ts'
import { billedMonths, statement } from './statement.ts'
import { readUsage } from './usage.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const put = await stopClock('2026-11-21T09:10:00Z')
const PRICE = 500n

const operator = (ctx: AccountCtx): AccountCtx => ({ ...ctx, actor: { kind: 'operator' } })
const pay = (ctx: AccountCtx, tokens: number) => giveCredit(operator(ctx), { credits: BigInt(tokens) * PRICE, reason: 'Credit' })

async function paying(tokens: number) {
  await put('2026-11-21T09:10:00Z')
  const ctx = await makeAccount()
  await db().$executeRaw`UPDATE account SET created_at = service_now() WHERE id = ${ctx.accountId}`
  await setTier(ctx, { tier: 'PAID' })
  if (tokens > 0) await pay(ctx, tokens)
  return { ctx, key: await makeKey(ctx, { scopes: ['video:read', 'billing:read'] }) }
}

const events = async ({ accountId }: AccountCtx, type: string) =>
  (await db().webhookEvent.findMany({ where: { accountId, type }, orderBy: { seq: 'asc' } })).map(({ payload }) => JSON.parse(payload).data)

describe('charging', () => {
  test('uses the last credit, then the free quota including earlier tokens, then returns 429 with the reason', async () => {
    const { ctx, key } = await paying(3)
    expect(await grant(key.id, ctx.accountId, 5)).toMatchObject({ granted: 5, limit: 1_000, held: 'credit' })
    expect(await readBalance(ctx)).toMatchObject({ balance: '0', tier: 'PAID' })
    expect(await grant(key.id, ctx.accountId, 2_000)).toMatchObject({ granted: 995, issued: 1_000 })
    expect(await remainingQuota(key.id, ctx.accountId)).toMatchObject({ limit: 1_000, remaining: 0 })
    const videoId = await makeVideo(ctx)
    const refused = await send(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key.value } })
    expect([refused.status, refused.headers['x-ratelimit-limit'], refused.headers['x-ratelimit-remaining']]).toEqual([429, '1000', '0'])
    expect(JSON.parse(refused.body).error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { reason: 'OUT_OF_CREDIT' } })
    await pay(ctx, 1)
    expect(await grant(key.id, ctx.accountId, 2)).toMatchObject({ granted: 1, issued: 1_001 })
  })

  test('a balance below the price of a token buys none', async () => {
    const { ctx, key } = await paying(0)
    await giveCredit(operator(ctx), { credits: 499n, reason: 'Not enough' })
    await grant(key.id, ctx.accountId, 1)
    expect(await readBalance(ctx)).toMatchObject({ balance: '0.000499' })
  })

  test('test keys and the free tier are not charged', async () => {
    const { ctx, key } = await paying(10)
    const testing = await makeKey(ctx, { environment: 'TEST' })
    await grant(testing.id, ctx.accountId, 1_500)
    await setTier(ctx, { tier: 'FREE' })
    await grant(key.id, ctx.accountId, 1_500)
    expect(await readBalance(ctx)).toMatchObject({ balance: '0.005', tier: 'FREE' })
  })

  test('caps of accounts and keys are exact to the token and reset each month', async () => {
    const { ctx, key } = await paying(10_000)
    const other = await makeKey(ctx)
    await grant(key.id, ctx.accountId, 2_000)
    await setKeyCap(ctx, { keyId: key.id, monthCap: 2_003n * PRICE + 1n })
    expect(await grant(key.id, ctx.accountId, 9)).toMatchObject({ granted: 3, held: 'key_cap' })
    expect(await grant(key.id, ctx.accountId, 1)).toMatchObject({ granted: 0, held: 'key_cap' })
    await setLimits(ctx, { lowBalanceThreshold: null, monthCap: 4_000n * PRICE })
    expect(await grant(other.id, ctx.accountId, 5_000)).toMatchObject({ granted: 1_997, held: 'account_cap', limit: 1_000 })
    expect(await remainingQuota(other.id, ctx.accountId)).toMatchObject({ limit: 1_000, remaining: 0 })
    expect(await billingOverview(ctx)).toMatchObject({
      monthSpent: '2',
      monthCap: '2',
      keys: [{ monthSpent: '1.0015' }, { monthSpent: '0.9985' }],
    })
    await put('2026-12-01T00:00:00Z')
    expect(await grant(key.id, ctx.accountId, 9)).toMatchObject({ granted: 9, held: undefined })
    expect(await grant(other.id, ctx.accountId, 5_000)).toMatchObject({ granted: 3_991, held: 'account_cap' })
    await setLimits(ctx, { lowBalanceThreshold: null, monthCap: null })
    expect(await grant(other.id, ctx.accountId, 1)).toMatchObject({ granted: 1, held: undefined })
  })

  test('setTier, setLimits, setKeyCap, requestQuota and giveCredit return FORBIDDEN for a developer', async () => {
    const developer = await makeAccount('DEVELOPER')
    const { id: keyId } = await makeKey(developer)
    for (const change of [
      () => setTier(developer, { tier: 'PAID' }),
      () => setLimits(developer, { lowBalanceThreshold: null, monthCap: 1n }),
      () => setKeyCap(developer, { keyId, monthCap: 1n }),
      () => requestQuota(developer, { keyId, requestedQuota: 5, reason: 'A large launch' }),
      () => giveCredit(developer, { credits: 1n, reason: 'Why not' }),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('events', () => {
  test('wallet.low_balance fires on each crossing and not while the balance stays low', async () => {
    const { ctx, key } = await paying(10)
    await setLimits(ctx, { lowBalanceThreshold: 6n * PRICE, monthCap: null })
    for (const count of [4, 1, 2]) await grant(key.id, ctx.accountId, count)
    expect(await events(ctx, 'wallet.low_balance')).toEqual([{ balance: '0.0025', previousBalance: '0.003', threshold: '0.003' }])
    await pay(ctx, 7)
    await grant(key.id, ctx.accountId, 5)
    expect(await events(ctx, 'wallet.low_balance')).toHaveLength(2)
    expect(await events(ctx, 'wallet.refilled')).toEqual([
      { balance: '0.005', previousBalance: '0', credits: '0.005' },
      { balance: '0.005', previousBalance: '0.0015', credits: '0.0035' },
    ])
  })

  test('an exhausted quota fires one event per key and UTC day', async () => {
    const { ctx, key } = await paying(0)
    await setTier(ctx, { tier: 'FREE' })
    await Promise.all(Array.from({ length: 4 }, () => grant(key.id, ctx.accountId, 400)))
    await grant(key.id, ctx.accountId, 1)
    const payload = { keyId: key.id, keyPrefix: key.prefix, limit: 1_000, resetAt: '2026-11-22T00:00:00.000Z' }
    expect(await events(ctx, 'playback.token.exhausted')).toEqual([payload])
    await put('2026-11-22T00:00:00Z')
    await grant(key.id, ctx.accountId, 1_000)
    expect(await events(ctx, 'playback.token.exhausted')).toEqual([payload, { ...payload, resetAt: '2026-11-23T00:00:00.000Z' }])
  })
})

describe('the billing page', () => {
  test('usage, spend, forecast, ledger and statements have consistent numbers', async () => {
    const { ctx, key } = await paying(10_000)
    for (const [at, count] of [
      ['2026-11-29T22:00:00Z', 100],
      ['2026-11-30T23:59:59Z', 20],
      ['2026-12-01T00:00:00Z', 60],
    ] as const) {
      await put(at)
      await grant(key.id, ctx.accountId, count)
    }
    expect(await readUsage(ctx, { from: '2026-11-01', to: '2026-11-30' })).toMatchObject({ totals: { tokensIssued: 120, credits: '0.06' } })
    const { days, keys, total } = await spend(ctx, { days: 7 })
    expect([days.length, days.at(-1), total, keys[0]?.values]).toEqual([7, '2026-12-01', '0.09', [0, 0, 0, 0, 0.05, 0.01, 0.03]])
    // 180 tokens in a day and two hours; 9,820 are left.
    expect(await billingOverview(ctx)).toMatchObject({
      balance: '4.91',
      unposted: '0.09',
      spentPerDay: '0.045',
      daysLeft: 109,
      monthSpent: '0.03',
    })
    expect(await billedMonths(ctx)).toEqual([
      { month: '2026-12', tokens: 60, used: '0.03', added: '0' },
      { month: '2026-11', tokens: 120, used: '0.06', added: '5' },
    ])
    expect(await statement(ctx, { month: '2026-11' })).toMatchObject({ opening: '0', usageTotal: '0.06', closing: '4.94', running: false })
    expect(await statement(ctx, { month: '2026-12' })).toMatchObject({ opening: '4.94', closing: '4.91', running: true })
    await expect(statement(ctx, { month: '2027-01' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await listLedger(ctx, {})).lines).toMatchObject([{ seq: 1, amount: '5', balanceAfter: '5', kind: 'credit' }])
    let csv = ''
    for await (const piece of ledgerCsv(ctx)) csv += piece
    expect(csv).toMatch(/^\ufeffentry,time,kind,amount,.*\r\n1,2026-11-21T09:10:00\.000Z,Credit,5,5,,,,,Credit,[0-9a-f]{64}\r\n$/)
    await put('2026-12-06T00:00:00Z')
    expect(await spend(ctx, { days: 7 })).toMatchObject({ total: '0.04', previous: { values: [0, 0, 0, 0, 0, 0, 0.05], total: '0.05' } })
  })

  test('a statement opens with the closing balance of the previous one, whenever hours were closed', async () => {
    const { ctx, key } = await paying(10_000)
    await put('2026-11-30T21:30:00Z')
    await grant(key.id, ctx.accountId, 10)
    await put('2026-11-30T22:30:00Z')
    await closeHours(ctx.accountId)
    await grant(key.id, ctx.accountId, 20)
    await put('2026-11-30T23:30:00Z')
    await grant(key.id, ctx.accountId, 40)
    const both = async () => [
      (await statement(ctx, { month: '2026-11' })).closing,
      (await statement(ctx, { month: '2026-12' })).opening,
      (await statement(ctx, { month: '2026-12' })).closing,
    ]
    await put('2026-12-01T00:00:30Z')
    await grant(key.id, ctx.accountId, 80)
    // Two hours of November are not in the ledger when December begins.
    expect(await both()).toEqual(['4.965', '4.965', '4.925'])
    await pay(ctx, 2_000)
    await put('2026-12-01T03:00:00Z')
    expect(await closeHours(ctx.accountId)).toBe(3)
    expect(await both()).toEqual(['4.965', '4.965', '5.925'])
    await put('2027-01-01T00:00:00Z')
    expect(await statement(ctx, { month: '2027-01' })).toMatchObject({ opening: '5.925', closing: '5.925' })
  })

  test('a month has a statement beyond two billion tokens', async () => {
    const { ctx, key } = await paying(10)
    const hours = [1, 2, 3].map((hour) => new Date(Date.UTC(2026, 10, 21, hour)))
    const sums = { keyId: key.id, accountId: ctx.accountId, tokens: 1_000_000_000, cost: 500_000_000_000n }
    await db().chargeHour.createMany({ data: hours.map((hour) => ({ ...sums, hour })) })
    expect(await billedMonths(ctx)).toMatchObject([{ month: '2026-11', tokens: 3_000_000_000, used: '1500000' }])
    expect(await statement(ctx, { month: '2026-11' })).toMatchObject({ usage: [{ tokens: 3_000_000_000, credits: '1500000' }] })
    expect(await spend(ctx, { days: 7 })).toMatchObject({ tokens: 3_000_000_000 })
  })

  test('statement returns NOT_FOUND for months before the account existed', async () => {
    const { ctx } = await paying(0)
    for (const month of ['2026-10', '2025-12', '1999-01'])
      await expect(statement(ctx, { month })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await statement(ctx, { month: '2026-11' })).toMatchObject({ opening: '0' })
  })

  test('a statement has the issuer from the operator’s settings', async () => {
    const { ctx } = await paying(0)
    expect(await statement(ctx, { month: '2026-11' })).toMatchObject({ issuer: [], note: null })
    provide({ INVOICE_ISSUER: 'Video GmbH | Torstraße 1|10115 Berlin', INVOICE_NOTE: 'Reverse charge.' })
    const { issuer, note } = await statement(ctx, { month: '2026-11' })
    provide({ INVOICE_ISSUER: '', INVOICE_NOTE: '' })
    expect([issuer, note]).toEqual([['Video GmbH', 'Torstraße 1', '10115 Berlin'], 'Reverse charge.'])
  })

  test('simulate uses today and the 89 days before it', async () => {
    const { ctx, key } = await paying(0)
    // The 90 days that end on November 21 begin on August 24.
    for (const [day, issued] of [
      ['2026-11-21', 1],
      ['2026-08-24', 10],
      ['2026-08-23', 100],
    ] as const)
      await db().keyDay.upsert({
        where: { keyId_day: { keyId: key.id, day: new Date(day) } },
        create: { keyId: key.id, day: new Date(day), issued },
        update: { issued },
      })
    expect(await simulate(ctx, { volume: 100, price: 500_000n, dailyQuota: 3_000 })).toMatchObject({ asked: 11, activeDays: 2 })
  })

  test('simulate recomputes the days with other volumes and prices', async () => {
    const { ctx, key } = await paying(0)
    for (const [day, issued, refused] of [
      ['2026-11-20', 900, 0],
      ['2026-11-19', 1_000, 600],
      ['2026-08-01', 5_000, 0],
    ] as const)
      await db().keyDay.create({ data: { keyId: key.id, day: new Date(day), issued, refused } })
    expect(await simulate(ctx, { volume: 200, price: 500_000n, dailyQuota: 3_000 })).toEqual({
      days: 90,
      activeDays: 2,
      asked: 5_000,
      paid: { issued: 4_800, refused: 200, credits: '2.4', creditsPerMonth: '0.8' },
      free: { issued: 2_000, refused: 3_000 },
      was: { issued: 1_900, refused: 600, credits: '0' },
    })
  })

  test('simulate takes 30 days of a history that is shorter than 90 for a month', async () => {
    const { ctx, key } = await paying(0)
    const asked = { volume: 100, price: 500_000n, dailyQuota: 100_000 }
    expect(await simulate(ctx, asked)).toMatchObject({ days: 90, paid: { creditsPerMonth: '0' } })
    await db().keyDay.create({ data: { keyId: key.id, day: new Date('2026-11-21'), issued: 6_000 } })
    expect(await simulate(ctx, asked)).toMatchObject({ days: 1, paid: { credits: '3', creditsPerMonth: '90' } })
    await db().keyDay.create({ data: { keyId: key.id, day: new Date('2026-11-12'), issued: 6_000 } })
    expect(await simulate(ctx, asked)).toMatchObject({ days: 10, activeDays: 2, paid: { credits: '6', creditsPerMonth: '18' } })
  })
})

test('a quota request is open once and decided once, and the new quota applies to the next token', async () => {
  const { ctx, key } = await paying(5)
  const ask = () => requestQuota(ctx, { keyId: key.id, requestedQuota: 250_000, reason: 'A launch on Friday' })
  const answers = await Promise.allSettled([ask(), ask(), ask()])
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const [request] = await listQuotaRequests(ctx, { keyId: key.id })
  expect(request).toMatchObject({ status: 'OPEN', requestedQuota: 250_000, keyName: 'Backend' })
  const decision = { requestId: request?.id as string, approvedQuota: 200_000, resolutionNote: 'For a month' }
  await expect(resolveQuotaRequest(ctx, decision)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(resolveQuotaRequest(operator(await makeAccount()), decision)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await resolveQuotaRequest(operator(ctx), decision)
  await expect(resolveQuotaRequest(operator(ctx), { ...decision, approvedQuota: null })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await remainingQuota(key.id, ctx.accountId)).toMatchObject({ limit: 200_000 })
  expect(await listQuotaRequests(ctx, {})).toMatchObject([{ status: 'APPROVED', approvedQuota: 200_000, resolutionNote: 'For a month' }])
  await setTier(ctx, { tier: 'FREE' })
  await expect(ask()).rejects.toMatchObject({ code: 'CONFLICT' })
})
