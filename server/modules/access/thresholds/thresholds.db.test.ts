import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeMember } from '../../../testing/make.ts'
import { makeEndpoint } from '../../../testing/make-endpoint.ts'
import { provide } from '../../../testing/settings.ts'
import { giveCredit } from '../../billing/credit.ts'
import { deleteAccount } from '../../identity/accounts/delete-account.ts'
import { purgeAccounts } from '../../identity/accounts/purge-account.ts'
import { revokeKey } from '../keys/end-key.ts'
import { grant } from '../quotas/daily-quota.ts'
import * as mail from './mail.ts'
import { notifyThresholds } from './notify.ts'
import { type Thresholds, thresholdsInput } from './schema.ts'
import { setThresholds, thresholdSettings } from './settings.ts'

await testDatabase()
const put = await stopClock('2026-11-21T09:10:00Z')
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

let ctx: AccountCtx
let key: Awaited<ReturnType<typeof makeKey>>
beforeEach(async () => {
  await put('2026-11-21T09:10:00Z')
  provide({ SMTP_URL: 'smtp://127.0.0.1:1', BASE_URL: 'https://video.example.com' })
  await db().account.updateMany({
    data: { alertQuotaPercents: [], alertSpendMicro: [], alertStoragePercents: [], alertStorageBytes: [] },
  })
  ctx = await makeAccount()
  key = await makeKey(ctx)
})

const NONE: Thresholds = { quota: [], spend: [], storage: [], storageGb: [], recipients: [] }
const userOf = ({ actor }: AccountCtx) => (actor as { userId: string }).userId
const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const set = (wanted: Partial<Thresholds>, of = ctx) => setThresholds(of, { ...NONE, recipients: [userOf(of)], ...wanted })
const issue = (tokens: number) => grant(key.id, ctx.accountId, tokens)

interface Event {
  type: string
  data: Record<string, unknown>
}
const eventsOf = async ({ accountId } = ctx) =>
  (
    await query<Event>(
      '',
      `SELECT type, payload::json -> 'data' AS data FROM webhook_event WHERE account_id = $1 AND type LIKE '%threshold_reached' ORDER BY tx, id`,
      [accountId],
    )
  ).sort((a, b) => Number(a.data.threshold) - Number(b.data.threshold))
const thresholdsOf = async (of = ctx) => (await eventsOf(of)).map(({ data }) => data.threshold)
const mailsTo = async (to: string) =>
  (
    await query<{ data: { to: string; subject: string; text: string } }>(
      '',
      `SELECT data FROM pgboss.job WHERE name = 'mail.send' AND data ->> 'to' = $1 ORDER BY created_on, id`,
      [to],
    )
  ).map(({ data }) => data)

it('reports a share of a key’s quota once, by event and e-mail, and again on the next day', async () => {
  const { id: endpointId } = await makeEndpoint(ctx, 'https://hooks.example.com/one')
  await set({ quota: [50n, 80n] })
  await issue(499)
  expect(await notifyThresholds()).toBe(0)
  await issue(1)
  expect(await notifyThresholds()).toBe(1)
  expect(await notifyThresholds()).toBe(0)
  const data = { keyId: key.id, keyPrefix: key.prefix, threshold: 50, used: 500, limit: 1_000, resetAt: '2026-11-22T00:00:00.000Z' }
  expect(await eventsOf()).toEqual([{ type: 'quota.threshold_reached', data }])
  expect(await db().webhookDelivery.count({ where: { endpointId } })).toBe(1)
  const [sent, ...others] = await mailsTo(emailOf(ctx))
  expect(others).toEqual([])
  expect(sent?.subject).toBe('A key has used 50% of its daily quota')
  expect(sent?.text).toContain('has issued 500 of 1,000 playback tokens today. The quota resets at 2026-11-22 00:00 UTC.')
  expect(sent?.text).toContain(`https://video.example.com/api-keys/${key.id}`)
  await put('2026-11-22T00:00:01Z')
  expect(await notifyThresholds()).toBe(0)
  expect(await db().alertNotice.count({ where: { accountId: ctx.accountId } })).toBe(0)
  await issue(600)
  expect(await notifyThresholds()).toBe(1)
})

it('reports several thresholds that are crossed at once as an event each, and in one e-mail', async () => {
  await set({ quota: [50n, 80n, 100n] })
  await issue(1_000)
  expect(await notifyThresholds()).toBe(3)
  expect(await thresholdsOf()).toEqual([50, 80, 100])
  const sent = await mailsTo(emailOf(ctx))
  expect(sent.map(({ subject }) => subject)).toEqual(['A key has used 100% of its daily quota'])
  expect(sent[0]?.text).toContain('Also reached since our last email: 50%, 80%.')
})

it('reports spending of a month, and again in the next one', async () => {
  await db().account.update({ where: { id: ctx.accountId }, data: { tier: 'PAID' } })
  await giveCredit({ ...ctx, actor: { kind: 'operator' } }, { credits: 1_000_000n, reason: 'Credit' })
  await set({ spend: [50_000n, 100_000n] })
  await issue(99)
  expect(await notifyThresholds()).toBe(0)
  await issue(1)
  expect(await notifyThresholds()).toBe(1)
  expect(await eventsOf()).toEqual([{ type: 'spend.threshold_reached', data: { threshold: '0.05', spent: '0.05', month: '2026-11' } }])
  expect((await mailsTo(emailOf(ctx)))[0]?.text).toContain('has spent 0.05 credits this month (UTC).')
  await put('2026-12-01T00:10:00Z')
  expect(await notifyThresholds()).toBe(0)
  await issue(100)
  expect(await notifyThresholds()).toBe(1)
  expect((await eventsOf()).map(({ data }) => data.month).sort()).toEqual(['2026-11', '2026-12'])
})

it('reports storage in percent and in bytes, and again after it was below', async () => {
  await db().accountLimit.create({
    data: { accountId: ctx.accountId, name: 'storageBytes', value: 1_000n, reason: 'Test', setBy: 'operator' },
  })
  const store = (bytes: number) =>
    query(
      '',
      'INSERT INTO storage_count (account_id, videos, original_bytes, rendition_bytes, uploads, unfinished_bytes) VALUES ($1, 0, $2, 0, 0, 0)',
      [ctx.accountId, bytes],
    )
  await set({ storage: [80n], storageGb: [900n] })
  await store(799)
  expect(await notifyThresholds()).toBe(0)
  await store(1)
  expect(await notifyThresholds()).toBe(1)
  await store(100)
  expect(await notifyThresholds()).toBe(1)
  expect((await eventsOf()).map(({ data }) => data)).toEqual([
    { unit: 'percent', threshold: 80, usedBytes: 800, limitBytes: 1_000 },
    { unit: 'bytes', threshold: 900, usedBytes: 900, limitBytes: 1_000 },
  ])
  await store(-500)
  expect(await notifyThresholds()).toBe(0)
  await store(450)
  expect(await notifyThresholds()).toBe(1)
  expect(await thresholdsOf()).toEqual([80, 80, 900])
})

it('reports a threshold once, however many processes run the job at once', async () => {
  await set({ quota: [10n, 20n, 30n, 40n, 50n] })
  await issue(700)
  const counts = await Promise.all(Array.from({ length: 8 }, () => notifyThresholds()))
  expect(counts.reduce((sum, count) => sum + count)).toBe(5)
  expect(await thresholdsOf()).toEqual([10, 20, 30, 40, 50])
  expect(await mailsTo(emailOf(ctx))).toHaveLength(1)
})

it('leaves nothing behind when it is stopped between the note and the e-mail, and reports in the next run', async () => {
  await set({ quota: [50n] })
  await issue(500)
  const broken = vi.spyOn(mail, 'thresholdMail').mockImplementationOnce(() => {
    throw new Error('killed')
  })
  await expect(notifyThresholds()).rejects.toThrow('killed')
  expect([await eventsOf(), await mailsTo(emailOf(ctx)), await db().alertNotice.count({ where: { accountId: ctx.accountId } })]).toEqual([
    [],
    [],
    0,
  ])
  broken.mockRestore()
  expect(await notifyThresholds()).toBe(1)
  expect([(await eventsOf()).length, (await mailsTo(emailOf(ctx))).length]).toEqual([1, 1])
})

it('reports a new threshold that is already exceeded, and a removed one no more', async () => {
  await set({ quota: [50n] })
  await issue(600)
  expect(await notifyThresholds()).toBe(1)
  await set({ quota: [60n, 70n] })
  expect(await notifyThresholds()).toBe(1)
  await set({})
  await issue(200)
  expect(await notifyThresholds()).toBe(0)
  expect(await thresholdsOf()).toEqual([50, 60])
})

it('reports a raised quota again once it is used to the same share, and not when a key stops', async () => {
  await set({ quota: [50n] })
  await issue(500)
  expect(await notifyThresholds()).toBe(1)
  await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: 2_000 } })
  expect(await notifyThresholds()).toBe(0)
  await issue(500)
  expect(await notifyThresholds()).toBe(1)
  await revokeKey(ctx, { keyId: key.id })
  await set({ quota: [10n, 50n] })
  expect(await notifyThresholds()).toBe(0)
})

it('does not report test keys', async () => {
  const test = await makeKey(ctx, { environment: 'TEST' })
  await set({ quota: [1n] })
  await grant(test.id, ctx.accountId, 500)
  expect(await notifyThresholds()).toBe(0)
})

it('mails the chosen members while they are members, and emits events without e-mail settings', async () => {
  const developer = await makeMember(ctx, 'DEVELOPER')
  await set({ quota: [10n], recipients: [userOf(developer)] })
  await issue(100)
  expect(await notifyThresholds()).toBe(1)
  expect([(await mailsTo(emailOf(developer))).length, (await mailsTo(emailOf(ctx))).length]).toEqual([1, 0])
  await db().membership.deleteMany({ where: { userId: userOf(developer), accountId: ctx.accountId } })
  expect((await thresholdSettings(ctx)).thresholds.recipients).toEqual([])
  await put('2026-11-22T10:00:00Z')
  await issue(100)
  expect(await notifyThresholds()).toBe(1)
  expect(await mailsTo(emailOf(developer))).toHaveLength(1)
  await put('2026-11-23T10:00:00Z')
  provide({ SMTP_URL: '' })
  await set({ quota: [10n] })
  await issue(100)
  expect(await notifyThresholds()).toBe(1)
  expect(await mailsTo(emailOf(ctx))).toEqual([])
  expect(await eventsOf()).toHaveLength(3)
})

it('keeps two accounts apart, and goes with the account', async () => {
  const other = await makeAccount()
  await set({ quota: [10n] })
  await set({ quota: [90n] }, other)
  await issue(100)
  expect(await notifyThresholds()).toBe(1)
  expect([await eventsOf(other), (await mailsTo(emailOf(other))).length]).toEqual([[], 0])
  await deleteAccount(ctx, { name: 'Test' })
  await issue(0)
  expect(await notifyThresholds()).toBe(0)
  await purgeAccounts(new AbortController().signal)
  expect(await db().alertNotice.count({ where: { accountId: ctx.accountId } })).toBe(0)
})

it('may be changed by owners alone, and records the change', async () => {
  const developer = await makeMember(ctx, 'DEVELOPER')
  await expect(set({ quota: [10n] }, developer)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await set({ quota: [10n, 20n], spend: [1_500_000n], storageGb: [500_000_000n] })
  expect((await thresholdSettings(developer)).thresholds).toEqual({
    ...{ quota: '10, 20', spend: '1.5', storage: '', storageGb: '0.5', recipients: [userOf(ctx)] },
  })
  const entry = await db().auditEntry.findFirstOrThrow({ where: { accountId: ctx.accountId, action: 'account.thresholds' } })
  expect(entry.after).toMatchObject({ quota: '10, 20', spend: '1.5' })
})

it.each([
  ['quota', '80, 50 50%', [50n, 80n]],
  ['quota', '', []],
  ['quota', '101', undefined],
  ['quota', '0', undefined],
  ['quota', '1,2,3,4,5,6', undefined],
  ['spend', '99.5 10', [10_000_000n, 99_500_000n]],
  ['spend', '-1', undefined],
  ['spend', '0', undefined],
  ['storageGb', '0.5', [500_000_000n]],
  ['storageGb', 'all', undefined],
] as const)('%s “%s” is %s', (name, text, read) => {
  const result = thresholdsInput.shape[name].safeParse(text)
  expect(result.success ? result.data : undefined).toEqual(read)
})
