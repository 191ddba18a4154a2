import { expect, test } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import { disableKey, disableKeyIn, enableKey } from '../access/keys/end-key.ts'
import { DAYS_SHOWN } from '../analytics/account-days.ts'
import { emit } from '../webhooks/endpoints/emit.ts'
import { firstSteps, firstStepsDone } from './first-steps.ts'
import { getKey } from './get-key.ts'
import { listKeys } from './list-keys.ts'
import { overview } from './overview.ts'

await testDatabase()

const DAY_MS = 86_400_000
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS)
/** Writes what the collector writes: tokens by key, and requests by key and by account. */
async function used(keyId: string, day: Date, { requests = 0, ...tokens }: { requests?: number; issued?: number; refused?: number }) {
  const { accountId } = await db().apiKey.findUniqueOrThrow({ where: { id: keyId }, select: { accountId: true } })
  const counted = { accountId, keyId, operation: 'getVideo', status: 200, requests, tokens: 0, latency: [] }
  const hour = new Date(Math.floor(day.getTime() / 3_600_000) * 3_600_000)
  await db().keyDay.create({ data: { keyId, day, requests, ...tokens } })
  await db().trafficDay.create({ data: { ...counted, day } })
  await db().trafficHour.create({ data: { ...counted, hour } })
}
async function watched(videoId: string, day: Date, plays: number) {
  const { accountId } = await db().video.findUniqueOrThrow({ where: { id: videoId }, select: { accountId: true } })
  await db().accountViewerDay.create({ data: { accountId, day, dimension: 'device', value: 'Phone', plays } })
}

test("overview counts the account's content and activity by day, and nothing of other accounts", async () => {
  const [ctx, other] = [await makeAccount(), await makeAccount()]
  const foreign = await makeKey(other)
  await used(foreign.id, new Date(), { requests: 1_000, issued: 900 })
  await watched(await makeVideo(other), new Date(), 50)
  const video = await makeVideo(ctx, { createdAt: new Date('2020-01-01') })
  await makeVideo(ctx, { status: 'FAILED', title: 'Broken' })
  await makeVideo(ctx, { status: 'PENDING' })
  await makeVideo(ctx, { deletedAt: new Date() })
  const [one, two] = [await makeKey(ctx, { name: 'One' }), await makeKey(ctx, { name: 'Two', environment: 'TEST' })]
  await used(one.id, new Date(), { requests: 10, issued: 4, refused: 1 })
  await used(two.id, new Date(), { requests: 5, issued: 5 })
  await used(one.id, dayBefore(3), { requests: 7, issued: 6, refused: 2 })
  await used(one.id, dayBefore(DAYS_SHOWN), { requests: 99 })
  await watched(video, new Date(), 3)
  await watched(video, dayBefore(3), 8)

  const { days, ...rest } = await overview(ctx)
  expect(rest).toEqual({
    videos: { pending: 1, processing: 0, completed: 1, failed: 1 },
    keys: 2,
    quotas: [
      { id: two.id, name: 'Two', environment: 'TEST', issued: 5, limit: 1_000, exhaustedAt: null },
      { id: one.id, name: 'One', environment: 'LIVE', issued: 4, limit: 1_000, exhaustedAt: null },
    ],
    attention: [{ kind: 'videos-failed', count: 1, of: [{ id: expect.any(String), name: 'Broken', reason: null }] }],
    wallet: { balance: '0', tier: 'FREE' },
    viewers: 0,
  })
  expect(days).toHaveLength(2 * DAYS_SHOWN)
  expect(days.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), requests: 15, failed: 0, issued: 9, refused: 1, plays: 3 })
  expect(days.at(-4)).toEqual({ day: dayBefore(3).toISOString().slice(0, 10), requests: 7, failed: 0, issued: 6, refused: 2, plays: 8 })
  expect(days.slice(DAYS_SHOWN).reduce((sum, day) => sum + day.requests, 0)).toBe(22)
  expect(days[DAYS_SHOWN - 1]?.requests).toBe(99)
})

test('overview computes today on each call, whatever is cached for earlier days', async () => {
  const ctx = await makeAccount()
  const { id } = await makeKey(ctx)
  const today = async () => (await overview(ctx)).days.at(-1)?.issued
  expect(await today()).toBe(0)
  await used(id, new Date(), { issued: 3 })
  expect(await today()).toBe(3)
})

function disableAsSupport(ctx: AccountCtx, keyId: string) {
  const support: AccountCtx = { ...ctx, actor: { kind: 'support', userId: 'usr_staff', email: 'help@example.com' } }
  return db().$transaction((tx) => disableKeyIn(tx, support, { keyId, reason: 'Its value is on GitHub' }))
}

const endpoint = (ctx: AccountCtx, fields: object) =>
  db().webhookEndpoint.create({
    data: {
      id: newId('whe'),
      accountId: ctx.accountId,
      url: 'https://hooks.example.com/in',
      events: [],
      secret: Buffer.from('sealed'),
      ...fields,
    },
  })

test('overview lists what needs attention: each kind once, the most urgent first', async () => {
  const ctx = await makeAccount()
  const kinds = async () => (await overview(ctx)).attention.map(({ kind, count, of }) => [kind, count, of.map(({ name }) => name)])
  expect(await kinds()).toEqual([])
  const full = await makeKey(ctx, { name: 'Full' })
  const near = await makeKey(ctx, { name: 'Near' })
  const fine = await makeKey(ctx, { name: 'Fine' })
  await used(full.id, new Date(), { issued: 1_000 })
  await used(near.id, new Date(), { issued: 800 })
  await used(fine.id, new Date(), { issued: 799 })
  await makeKey(ctx, { name: 'Ending', expiresAt: new Date(Date.now() + 6 * DAY_MS) })
  await makeKey(ctx, { name: 'Lasting', expiresAt: new Date(Date.now() + 8 * DAY_MS) })
  for (const name of ['Unused 1', 'Unused 2', 'Unused 3', 'Unused 4']) {
    const { id } = await makeKey(ctx, { name })
    await db().apiKey.update({ where: { id }, data: { createdAt: dayBefore(31) } })
  }
  const old = await makeKey(ctx, { name: 'Old but used' })
  await db().apiKey.update({ where: { id: old.id }, data: { createdAt: dayBefore(90), lastUsedAt: dayBefore(29) } })
  const resting = await makeKey(ctx, { name: 'At rest' })
  await db().apiKey.update({ where: { id: resting.id }, data: { createdAt: dayBefore(90) } })
  await disableKey(ctx, { keyId: resting.id })
  const stopped = await makeKey(ctx, { name: 'Stopped' })
  await disableAsSupport(ctx, stopped.id)
  await endpoint(ctx, {})
  await endpoint(ctx, { failingSince: dayBefore(1), url: 'https://dead.example.com/in' })
  await endpoint(ctx, { failingSince: dayBefore(1), events: ['wallet.refilled'] })
  await emit(db(), ctx.accountId, 'wallet.refilled', { balance: '1', previousBalance: '0', credits: '1' })
  await endpoint(ctx, { disabledAt: dayBefore(1), disabledReason: 'failing' })
  await endpoint(ctx, { disabledAt: dayBefore(1), disabledReason: 'owner' })
  expect(await kinds()).toEqual([
    ['key-disabled', 1, ['Stopped']],
    ['quota-used-up', 1, ['Full']],
    ['webhook-disabled', 1, ['hooks.example.com']],
    ['webhook-dead', 1, ['dead.example.com']],
    ['webhook-failing', 1, ['hooks.example.com']],
    ['quota-near', 1, ['Near']],
    ['key-expiring', 1, ['Ending']],
    ['key-unused', 4, expect.arrayContaining([expect.stringMatching(/^Unused/)])],
  ])
  const causes = (await overview(ctx)).attention.map(({ kind, of, ...rest }) => [
    kind,
    ...of.flatMap((one) => ('reason' in one ? one.reason : [])),
    rest,
  ])
  expect(causes).toEqual(
    expect.arrayContaining([
      ['key-disabled', 'Its value is on GitHub', { count: 1 }],
      ['webhook-disabled', 'failing', { count: 1 }],
      ['quota-used-up', { count: 1, tier: 'FREE' }],
    ]),
  )
})

test('overview names the cap, or the empty balance, that keeps keys on the free quota', async () => {
  const ctx = await makeAccount()
  const one = await makeKey(ctx, { name: 'One' })
  await makeKey(ctx, { name: 'Two' })
  await db().account.update({ where: { id: ctx.accountId }, data: { tier: 'PAID' } })
  await used(one.id, new Date(), { issued: 1_000 })
  const wallet = (data: object) => db().wallet.update({ where: { accountId: ctx.accountId }, data })
  const items = async () => (await overview(ctx)).attention.map(({ of: _, ...item }) => item)
  const held = async () => (await listKeys(ctx)).map((key) => [key.name, key.held])
  expect(await items()).toEqual([{ kind: 'credit-gone', count: 1, exhausted: 1 }])
  const today = new Date()
  const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1))
  await wallet({ balance: 1_000_000n, posted: 1_000_000n, monthCap: 500_000n, monthSpent: 499_600n, month })
  expect(await items()).toEqual([{ kind: 'account-cap', count: 1, exhausted: 1 }])
  await wallet({ monthCap: null })
  await db().keyCap.create({ data: { keyId: one.id, accountId: ctx.accountId, monthCap: 1_000n, monthSpent: 1_000n, month } })
  expect(await items()).toEqual([{ kind: 'key-cap', count: 1, exhausted: 1 }])
  expect(await held()).toEqual(
    expect.arrayContaining([
      ['One', 'key_cap'],
      ['Two', null],
    ]),
  )
  await db().keyCap.update({ where: { keyId: one.id }, data: { monthCap: 1_500n } })
  expect(await items()).toEqual([])
})

test('listKeys says who disabled a key and why, until it is enabled again', async () => {
  const ctx = await makeAccount()
  const { id: keyId } = await makeKey(ctx)
  const disabledBy = async () => (await getKey(ctx, { keyId })).disabledBy
  expect(await disabledBy()).toBeNull()
  await disableKey(ctx, { keyId })
  expect(await disabledBy()).toMatchObject({ kind: 'person', reason: null })
  await enableKey(ctx, { keyId })
  expect(await disabledBy()).toBeNull()
  await disableAsSupport(ctx, keyId)
  expect(await disabledBy()).toEqual({ kind: 'support', name: 'help@example.com', reason: 'Its value is on GitHub' })
})

test('firstSteps completes steps one by one; hidden steps stay hidden for that member alone', async () => {
  const ctx = await makeAccount()
  const fresh = { shown: true, uploaded: false, key: false, called: false, played: false, playableVideoId: null }
  expect(await firstSteps(ctx)).toEqual(fresh)
  const playableVideoId = await makeVideo(ctx)
  const { id } = await makeKey(ctx)
  expect(await firstSteps(ctx)).toEqual({ ...fresh, uploaded: true, key: true, playableVideoId })
  await db().apiKey.update({ where: { id }, data: { requestCount: 1 } })
  await watched(playableVideoId, new Date(), 1)
  expect(await firstSteps(ctx)).toEqual({ shown: true, uploaded: true, key: true, called: true, played: true, playableVideoId })
  await firstStepsDone(ctx)
  await firstStepsDone(ctx)
  await db().video.deleteMany({ where: { accountId: ctx.accountId } })
  expect(await firstSteps(ctx)).toMatchObject({ shown: false, uploaded: false })
  expect(await db().auditEntry.count({ where: { accountId: ctx.accountId, action: 'account.firstSteps' } })).toBe(1)
  const userId = newId('usr')
  const member = { role: 'VIEWER' as const, user: { create: { id: userId, email: `${userId}@example.com` } } }
  await db().account.update({ where: { id: ctx.accountId }, data: { members: { create: member } } })
  const colleague = { ...ctx, actor: { kind: 'user' as const, userId, email: '', role: 'VIEWER' as const } }
  expect(await firstSteps(colleague)).toMatchObject({ shown: true })
})
