import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { repeatConcurrently, send } from '../../../testing/client.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'
import { getKey } from '../../dashboard/get-key.ts'
import { listKeys } from '../../dashboard/list-keys.ts'
import { grant, remainingQuota } from '../quotas/daily-quota.ts'
import { renameKey, restrictKey } from './change-key.ts'
import { createKey } from './create-key.ts'
import { disableKey, enableKey, revokeKey } from './end-key.ts'
import { rotateKey } from './rotate-key.ts'
import { MAX_KEYS } from './schema.ts'
import { KEY_STATES, type KeyAction, type KeyState } from './state.ts'

await testDatabase()
let processes: WebProcess[]
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  processes = await startWebProcesses(2)
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})

const read = async (process: WebProcess, key: string) =>
  (await send(`${process.url}/v1/video`, { headers: { 'x-service-key': key } })).status
const issue = async (process: WebProcess, key: string, headers = {}) =>
  (await send(`${process.url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key, ...headers } }))
    .status
const everywhere = async (ask: (process: WebProcess) => Promise<number>) => [...new Set(await Promise.all(processes.map(ask)))]
const issued = async (keyId: string) => (await db().keyDay.aggregate({ where: { keyId }, _sum: { issued: true } }))._sum.issued ?? 0
const actions = async (subject: string) =>
  (await db().auditEntry.findMany({ where: { subject }, orderBy: { id: 'asc' } })).map(({ action }) => action)
const asViewer = (ctx: AccountCtx) => ({ ...ctx, actor: { ...ctx.actor, role: 'VIEWER' as const } }) as AccountCtx

describe('key expiry', () => {
  test('works until the expiry and not at it, by the database’s clock, in every process', async () => {
    const put = await stopClock('2026-03-01T12:00:00Z')
    onTestFinished(() => put(undefined))
    const make = () => makeKey(owner, { expiresAt: new Date('2026-03-01T12:00:10.000Z') })
    const [key, other, third] = [await make(), await make(), await make()]
    expect(await everywhere((process) => issue(process, key.value))).toEqual([200])
    expect(await everywhere((process) => read(process, other.value))).toEqual([200])
    // Tests the statement alone: the processes' own clocks run, so their cache entries would end a millisecond later.
    await put('2026-03-01T12:00:09.999Z')
    expect(await grant(key.id, owner.accountId, 1)).toMatchObject({ granted: 1 })
    expect((await getKey(owner, { keyId: key.id })).state).toBe('ACTIVE')
    await put('2026-03-01T12:00:10.000Z')
    expect(await grant(key.id, owner.accountId, 1)).toBeUndefined()
    // Warm caches still hold the key; the granting statement checks it, with and without an Idempotency-Key.
    expect(await everywhere((process) => issue(process, key.value))).toEqual([401])
    expect(await everywhere((process) => issue(process, other.value, { 'Idempotency-Key': 'one' }))).toEqual([401])
    expect(await everywhere((process) => read(process, third.value))).toEqual([401])
    expect((await getKey(owner, { keyId: key.id })).state).toBe('EXPIRED')
    expect(await issued(key.id)).toBe(processes.length + 1)
  })

  test('expires in caches without a notification', async () => {
    const expiresAt = new Date(Date.now() + 1_500)
    const key = await makeKey(owner, { expiresAt })
    expect(await everywhere((process) => read(process, key.value))).toEqual([200])
    await expect.poll(() => everywhere((process) => read(process, key.value)), { interval: 20 }).toEqual([401])
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime() - 100)
  })

  test('refuses an expiry in the past and reactivates an expired key with a later expiry', async () => {
    await expect(makeKey(owner, { expiresAt: new Date(Date.now() - 1_000) })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      extras: { details: [{ path: 'expiresAt' }] },
    })
    const { id: keyId, value } = await makeKey(owner)
    const past = new Date(Date.now() - 60_000)
    await db().apiKey.update({ where: { id: keyId }, data: { expiresAt: past } })
    await expect.poll(() => everywhere((process) => read(process, value)), { interval: 5 }).toEqual([401])
    await restrictKey(owner, { keyId, expiresAt: null, allowedIps: [], expected: { expiresAt: past, allowedIps: [] } })
    await expect.poll(() => everywhere((process) => issue(process, value)), { interval: 5 }).toEqual([200])
  })
})

describe('disableKey', () => {
  test('stops issuing in every process under load once it resolves, until the key is enabled again', async () => {
    const key = await makeKey(owner)
    await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: 10_000_000 } })
    let succeeded = 0
    const others = new Set<number>()
    const load = repeatConcurrently(16, async (worker) => {
      const status = await issue(processes[worker % processes.length] as WebProcess, key.value)
      if (status === 200) succeeded++
      else others.add(status)
      return status === 200
    })
    await expect.poll(() => succeeded, { interval: 1 }).toBeGreaterThan(200)
    await disableKey(owner, { keyId: key.id })
    const atOnce = await issued(key.id)
    await load
    expect({ inTheEnd: await issued(key.id), succeeded, others: [...others] }).toEqual({
      inTheEnd: atOnce,
      succeeded: atOnce,
      others: [401],
    })
    await expect.poll(() => everywhere((process) => read(process, key.value)), { interval: 5 }).toEqual([401])
    await enableKey(owner, { keyId: key.id })
    await expect.poll(() => everywhere((process) => issue(process, key.value)), { interval: 5 }).toEqual([200])
    expect(await actions(key.id)).toEqual(['key.create', 'key.disable', 'key.enable'])
  })

  test('invalidates cached keys by notification', async () => {
    const key = await makeKey(owner)
    for (let round = 0; round < 3; round++) expect(await everywhere((process) => read(process, key.value))).toEqual([200])
    await disableKey(owner, { keyId: key.id })
    await expect.poll(() => everywhere((process) => read(process, key.value)), { interval: 5 }).toEqual([401])
  })
})

/** Each use case by the action of the state table that it needs. */
const USE_CASES: Record<KeyAction, (ctx: AccountCtx, keyId: string) => Promise<unknown>> = {
  edit: (ctx, keyId) => renameKey(ctx, { keyId, name: 'Other' }),
  rotate: (ctx, keyId) => rotateKey(ctx, { address: '192.0.2.1' }, { keyId, overlapSec: 60 }),
  disable: (ctx, keyId) => disableKey(ctx, { keyId }),
  enable: (ctx, keyId) => enableKey(ctx, { keyId }),
  revoke: (ctx, keyId) => revokeKey(ctx, { keyId }),
}
const ago = new Date(Date.now() - 60_000)
const IN_STATE: Record<KeyState, { revokedAt?: Date; expiresAt?: Date; disabledAt?: Date }> = {
  ACTIVE: {},
  ROTATING_OUT: { revokedAt: new Date(Date.now() + 3_600_000) },
  DISABLED: { disabledAt: ago },
  EXPIRED: { expiresAt: ago },
  REVOKED: { revokedAt: ago },
}
const PAIRS = (Object.keys(KEY_STATES) as KeyState[]).flatMap((state) =>
  (Object.keys(USE_CASES) as KeyAction[]).map((action) => [state, action] as const),
)

test.each(PAIRS)('a key in state %s: %s follows the state table', async (state, action) => {
  const { id: keyId } = await makeKey(owner)
  await db().apiKey.update({ where: { id: keyId }, data: IN_STATE[state] })
  expect((await getKey(owner, { keyId })).state).toBe(state)
  await expect(USE_CASES[action](asViewer(owner), keyId)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(USE_CASES[action](await makeAccount(), keyId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const rows = async () => (await actions(keyId)).length
  const before = await rows()
  const allowed = (KEY_STATES[state] as readonly KeyAction[]).includes(action)
  if (allowed) await USE_CASES[action](owner, keyId)
  // Revoking twice changes and records nothing.
  else if (action === 'revoke') await revokeKey(owner, { keyId })
  else await expect(USE_CASES[action](owner, keyId)).rejects.toMatchObject({ code: 'CONFLICT', extras: { details: { state } } })
  expect(await rows()).toBe(before + (allowed ? 1 : 0))
  await db().apiKey.deleteMany({ where: { accountId: owner.accountId } })
})

test('returns CONFLICT instead of overwriting a concurrent change', async () => {
  const { id: keyId } = await makeKey(owner)
  const expected = { expiresAt: null, allowedIps: [] }
  await restrictKey(owner, { keyId, expiresAt: null, allowedIps: ['10.1.2.3/8', '10.0.0.0/8', '::1'], expected })
  expect((await getKey(owner, { keyId })).allowedIps).toEqual(['10.0.0.0/8', '::1'])
  const late = restrictKey(owner, { keyId, expiresAt: null, allowedIps: ['192.0.2.1'], expected })
  await expect(late).rejects.toMatchObject({ code: 'CONFLICT', extras: { details: { allowedIps: ['10.0.0.0/8', '::1'] } } })
  expect((await getKey(owner, { keyId })).allowedIps).toEqual(['10.0.0.0/8', '::1'])
})

test('rotateKey copies the allowed networks and restarts the lifetime', async () => {
  const old = await makeKey(owner, { expiresAt: new Date(Date.now() + 86_400_000), allowedIps: ['2001:DB8::1/32', '192.0.2.7'] })
  await db().apiKey.update({ where: { id: old.id }, data: { createdAt: new Date(Date.now() - 86_400_000) } })
  const made = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: old.id, overlapSec: 0 })
  const { allowedIps, expiresAt } = await getKey(owner, { keyId: made.id })
  expect(allowedIps).toEqual(['2001:db8::/32', '192.0.2.7'])
  const days = ((expiresAt as Date).getTime() - Date.now()) / 86_400_000
  expect(Math.round(days * 100) / 100).toBe(2)
})

test('createKey keeps the maximum number of keys under concurrent requests', async () => {
  const ctx = await makeAccount()
  const { id } = await makeKey(ctx)
  const row = await db().apiKey.findUniqueOrThrow({ where: { id } })
  const copies = Array.from({ length: MAX_KEYS - 4 }, (_, at) => ({ ...row, id: `${row.id}${at}`, hash: Buffer.from(`copy ${at}`) }))
  // Revoked and expired keys do not count.
  const revoked = Array.from({ length: 5 }, (_, at) => ({
    ...row,
    id: `gone${row.id}${at}`,
    hash: Buffer.from(`gone ${at}`),
    revokedAt: ago,
  }))
  await db().apiKey.createMany({ data: [...copies, ...revoked] })
  const answers = await Promise.allSettled(
    Array.from({ length: 8 }, () => createKey(ctx, { address: '192.0.2.1' }, { name: 'New', environment: 'LIVE', scopes: ['video:read'] })),
  )
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  expect(refused).toHaveLength(5)
  for (const error of refused) expect(error).toMatchObject({ code: 'CONFLICT', extras: { details: { limit: MAX_KEYS } } })
  await revokeKey(ctx, { keyId: id })
  await makeKey(ctx)
  await expect(makeKey(ctx)).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('listKeys and the token endpoint agree on the quota left today: free, paid, raised, without credit, capped, test', async () => {
  const ctx = await makeAccount()
  const { accountId } = ctx
  const [live, trial] = [await makeKey(ctx), await makeKey(ctx, { environment: 'TEST' })]
  const agree = async () => {
    const keys = await listKeys(ctx)
    for (const { id, dailyQuota } of keys) expect((await remainingQuota(id, accountId)).limit).toBe(dailyQuota)
    return [live, trial].map(({ id }) => keys.find((key) => key.id === id)).map((key) => [key?.dailyQuota, key?.held])
  }
  expect(await agree()).toEqual([
    [1_000, null],
    [1_000, null],
  ])
  await db().account.update({ where: { id: accountId }, data: { tier: 'PAID' } })
  expect(await agree()).toEqual([
    [1_000, 'credit'],
    [1_000, null],
  ])
  await db().wallet.update({ where: { accountId }, data: { balance: 10_000_000, posted: 10_000_000 } })
  expect(await agree()).toEqual([
    [100_000, null],
    [1_000, null],
  ])
  await db().apiKey.update({ where: { id: live.id }, data: { dailyQuota: 250_000 } })
  expect(await agree()).toEqual([
    [250_000, null],
    [1_000, null],
  ])
  const month = new Date(new Date().toISOString().slice(0, 8).concat('01'))
  await db().keyCap.create({ data: { keyId: live.id, accountId, monthCap: 1_000_000, month, monthSpent: 1_000_000 } })
  expect(await agree()).toEqual([
    [1_000, 'key_cap'],
    [1_000, null],
  ])
})
