import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { startJobWorkers, startQueue, stopQueue } from '../../platform/job-queue.ts'
import { sendMailOrThrow } from '../../platform/mail.ts'
import { log } from '../../platform/observe/log.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { startMailbox } from '../../testing/mailbox.ts'
import { makeAccount, makeKey, makeMember } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { grant } from '../access/quotas/daily-quota.ts'
import { listQuotaRequests, requestQuota, resolveQuotaRequest } from '../access/quotas/quota-requests.ts'
import { giveCredit } from './credit.ts'
import { sendBillingAlerts } from './send-billing-alerts.ts'
import { setKeyCap, setLimits } from './set-limits.ts'

await testDatabase()
const { mails, url } = await startMailbox()
const put = await stopClock('2026-11-21T09:10:00Z')
provide({ BASE_URL: 'https://video.example.com' })
const PRICE = 500n

beforeAll(async () => {
  await startQueue(JOBS)
  await startJobWorkers(JOBS['mail.send'], sendMailOrThrow)
})
afterAll(stopQueue)
afterEach(() => {
  mails.length = 0
  provide({ SMTP_URL: url, OPERATOR_EMAIL: '' })
  vi.restoreAllMocks()
})

const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const operator = (ctx: AccountCtx): AccountCtx => ({ ...ctx, actor: { kind: 'operator' } })

async function paying(tokens = 0) {
  await put('2026-11-21T09:10:00Z')
  const ctx = await makeAccount()
  await db().account.update({ where: { id: ctx.accountId }, data: { tier: 'PAID' } })
  if (tokens > 0) await giveCredit(operator(ctx), { credits: BigInt(tokens) * PRICE, reason: 'Credit' })
  return { ctx, key: await makeKey(ctx) }
}

const suspend = (ctx: AccountCtx) => db().user.update({ where: { email: emailOf(ctx) }, data: { suspendedAt: new Date() } })

const ask = ({ ctx, key }: Awaited<ReturnType<typeof paying>>) =>
  requestQuota(ctx, { keyId: key.id, requestedQuota: 250_000, reason: 'A launch on Friday' })
const arrived = (count: number) => vi.waitFor(() => expect(mails).toHaveLength(count))

test('requestQuota sends one e-mail to the operator and to each member of staff', async () => {
  const staff = await makeAccount()
  const gone = await makeAccount()
  const suspended = await makeAccount()
  if (staff.actor.kind !== 'user' || gone.actor.kind !== 'user' || suspended.actor.kind !== 'user') throw new Error('not people')
  await db().staffGrant.create({ data: { userId: staff.actor.userId } })
  await db().staffGrant.create({ data: { userId: suspended.actor.userId } })
  await suspend(suspended)
  await db().staffGrant.create({ data: { userId: gone.actor.userId, revokedAt: new Date() } })
  provide({ OPERATOR_EMAIL: 'operator@example.com' })
  await ask(await paying())
  await arrived(2)
  expect(mails.flatMap(({ to }) => to).sort()).toEqual(['operator@example.com', emailOf(staff)].sort())
  for (const { subject, text } of mails) {
    expect(subject).toBe('Request for a higher quota')
    expect(text).toContain('Test requests 250,000 playback tokens per day for one of its keys.')
    expect(text).toContain('Reason: A launch on Friday')
    expect(text).toContain('https://video.example.com/support/quota-requests')
  }
  mails.length = 0
  provide({ OPERATOR_EMAIL: emailOf(staff) })
  await ask(await paying())
  await arrived(1)
  await db().staffGrant.deleteMany()
})

test.each([
  ['granted', 200_000, /^Your key can now issue 200,000 playback tokens per day\.\s+For a month/],
  ['declined', null, /^We declined your request for a higher quota\.\s+For a month/],
])('resolveQuotaRequest sends the requester an e-mail: %s', async (_what, approvedQuota, pattern) => {
  const asked = await paying()
  const { id } = await ask(asked)
  await resolveQuotaRequest(operator(asked.ctx), { requestId: id, approvedQuota, resolutionNote: 'For a month' })
  await arrived(1)
  expect(mails[0]).toMatchObject({
    to: [emailOf(asked.ctx)],
    subject: 'Your request for a higher quota',
    text: expect.stringMatching(pattern),
  })
})

test('a decision that is rolled back sends nothing', async () => {
  const asked = await paying()
  const { id } = await ask(asked)
  const decide = (resolutionNote: string, on?: Tx) =>
    resolveQuotaRequest(operator(asked.ctx), { requestId: id, approvedQuota: 200_000, resolutionNote }, { ...(on && { on }) })
  const failing = db().$transaction(async (tx) => {
    await decide('For ever', tx)
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await decide('For a month')
  await arrived(1)
  expect(mails[0]?.text).toMatch(/For a month/)
})

test('requestQuota succeeds without a reachable mail server, and resolveQuotaRequest without any', async () => {
  const warned = vi.spyOn(log(), 'warn').mockReturnValue()
  provide({ SMTP_URL: 'smtp://127.0.0.1:1', OPERATOR_EMAIL: 'operator@example.com' })
  const asked = await paying()
  const { id } = await ask(asked)
  await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(1))
  provide({ SMTP_URL: '' })
  await resolveQuotaRequest(operator(asked.ctx), { requestId: id, approvedQuota: 5_000, resolutionNote: 'Gladly' })
  expect(await listQuotaRequests(asked.ctx, {})).toMatchObject([{ status: 'APPROVED', approvedQuota: 5_000, resolutionNote: 'Gladly' }])
})

test('sendBillingAlerts mails every owner once per crossing of the low-balance threshold', async () => {
  const { ctx, key } = await paying(10)
  const second = await makeMember(ctx, 'OWNER')
  await makeMember(ctx, 'DEVELOPER')
  await suspend(await makeMember(ctx, 'OWNER'))
  await setLimits(ctx, { lowBalanceThreshold: 6n * PRICE, monthCap: null })
  await grant(key.id, ctx.accountId, 4)
  expect(await sendBillingAlerts()).toBe(0)
  await grant(key.id, ctx.accountId, 1)
  await grant(key.id, ctx.accountId, 1)
  expect((await Promise.all([sendBillingAlerts(), sendBillingAlerts()])).sort()).toEqual([0, 1])
  expect(await sendBillingAlerts()).toBe(0)
  expect(mails.flatMap(({ to }) => to).sort()).toEqual([emailOf(ctx), emailOf(second)].sort())
  expect(mails[0]).toMatchObject({ subject: 'Your credit balance is low' })
  expect(mails[0]?.text).toMatch(
    /^Test has 0\.0025 credits left, which is below your alert threshold of 0\.003\..*https:\/\/video\.example\.com\/billing/s,
  )
  await giveCredit(operator(ctx), { credits: 10n * PRICE, reason: 'More' })
  await grant(key.id, ctx.accountId, 9)
  expect(await sendBillingAlerts()).toBe(1)
})

test('sendBillingAlerts mails a reached cap of an account or a key, and again after a raise or in a new month', async () => {
  const { ctx, key } = await paying(100)
  await setLimits(ctx, { lowBalanceThreshold: null, monthCap: 8n * PRICE })
  await setKeyCap(ctx, { keyId: key.id, monthCap: 5n * PRICE + 1n })
  await grant(key.id, ctx.accountId, 4)
  expect(await sendBillingAlerts()).toBe(0)
  await grant(key.id, ctx.accountId, 4)
  expect(await sendBillingAlerts()).toBe(1)
  expect(mails).toMatchObject([{ to: [emailOf(ctx)], subject: 'A key has reached its spending cap' }])
  expect(mails[0]?.text).toMatch(/^The key “Backend” of Test has reached its monthly spending cap of 0\.002501 credits\./)
  await setKeyCap(ctx, { keyId: key.id, monthCap: null })
  await grant(key.id, ctx.accountId, 4)
  expect(await sendBillingAlerts()).toBe(1)
  expect(mails[1]?.text).toMatch(/^Test has reached its monthly spending cap of 0\.004 credits\./)
  await setLimits(ctx, { lowBalanceThreshold: null, monthCap: 9n * PRICE })
  expect(await sendBillingAlerts()).toBe(0)
  await grant(key.id, ctx.accountId, 4)
  expect(await sendBillingAlerts()).toBe(1)
  await put('2026-12-01T00:00:00Z')
  expect(await sendBillingAlerts()).toBe(0)
  await grant(key.id, ctx.accountId, 20)
  expect(await sendBillingAlerts()).toBe(1)
})

test('sendBillingAlerts repeats failed e-mails in a later run and keeps alerts pending without mail settings', async () => {
  vi.spyOn(log(), 'warn').mockReturnValue()
  const { ctx, key } = await paying(10)
  await setLimits(ctx, { lowBalanceThreshold: 6n * PRICE, monthCap: null })
  provide({ SMTP_URL: '' })
  await grant(key.id, ctx.accountId, 6)
  expect(await sendBillingAlerts()).toBe(0)
  provide({ SMTP_URL: 'smtp://127.0.0.1:1' })
  expect(await sendBillingAlerts()).toBe(0)
  provide({ SMTP_URL: url })
  expect(await sendBillingAlerts()).toBe(1)
  expect(mails).toHaveLength(1)
})
