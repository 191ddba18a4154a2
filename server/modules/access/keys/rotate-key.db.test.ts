import { describe, expect, test, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { TOKEN_PRICE } from '../../billing/price-schema.ts'
import { setKeyCap } from '../../billing/set-limits.ts'
import { billingOverview } from '../../dashboard/billing-overview.ts'
import { listKeys } from '../../dashboard/list-keys.ts'
import { grant, remainingQuota } from '../quotas/daily-quota.ts'
import { revokeKey } from './end-key.ts'
import { rotateKey } from './rotate-key.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const status = async (value: string) => (await fetch(`${baseUrl}/v1/video`, { headers: { 'x-service-key': value } })).status

test('both keys work during the overlap; the old key ends after it', async () => {
  const owner = await makeAccount()
  const old = await makeKey(owner, { scopes: ['video:read', 'billing:read'] })
  const fresh = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: old.id, overlapSec: 3_600 })
  expect(fresh).toMatchObject({ name: old.name, environment: old.environment, scopes: old.scopes })
  expect(fresh.value).not.toBe(old.value)
  expect([await status(old.value), await status(fresh.value)]).toEqual([200, 200])

  await db().apiKey.update({ where: { id: old.id }, data: { revokedAt: new Date(Date.now() + 300) } })
  await expect.poll(() => status(old.value), { interval: 20 }).toBe(401)
  expect(await status(fresh.value)).toBe(200)
})

test('without overlap the old key is refused at once', async () => {
  const owner = await makeAccount()
  const old = await makeKey(owner)
  expect(await status(old.value)).toBe(200)
  const fresh = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: old.id, overlapSec: 0 })
  await expect.poll(() => status(old.value), { interval: 5 }).toBe(401)
  expect(await status(fresh.value)).toBe(200)
})

test('rotates a key once, for members with the permission, and only in their own account', async () => {
  const owner = await makeAccount()
  const { id: keyId } = await makeKey(owner)
  const viewer = { ...owner, actor: { ...owner.actor, role: 'VIEWER' as const } } as typeof owner
  await expect(rotateKey(viewer, { address: '192.0.2.1' }, { keyId, overlapSec: 0 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(rotateKey(await makeAccount(), { address: '192.0.2.1' }, { keyId, overlapSec: 0 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  const answers = await Promise.allSettled([1, 2].map(() => rotateKey(owner, { address: '192.0.2.1' }, { keyId, overlapSec: 60 })))
  expect(answers.map((answer) => answer.status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(rotateKey(owner, { address: '192.0.2.1' }, { keyId, overlapSec: 0 })).rejects.toMatchObject({ code: 'CONFLICT' })
})

describe('values that a rotation keeps', () => {
  const spend = (ctx: AccountCtx, keyId: string, wanted: number) => grant(keyId, ctx.accountId, wanted)

  test('the count of today: old and new key share one quota', async () => {
    const owner = await makeAccount()
    const old = await makeKey(owner)
    await spend(owner, old.id, 600)
    const second = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: old.id, overlapSec: 3_600 })
    expect(await remainingQuota(second.id, owner.accountId)).toMatchObject({ limit: 1_000, remaining: 400 })
    expect(await spend(owner, second.id, 100)).toMatchObject({ granted: 100, issued: 700 })
    expect(await spend(owner, old.id, 100)).toMatchObject({ granted: 100, issued: 800 })
    const third = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: second.id, overlapSec: 3_600 })
    const together = await Promise.all([old, second, third].flatMap(({ id }) => [1, 2, 3].map(() => spend(owner, id, 90))))
    expect(together.reduce((sum, one) => sum + (one?.granted ?? 0), 0)).toBe(200)
    for (const { id } of [old, second, third]) expect(await remainingQuota(id, owner.accountId)).toMatchObject({ remaining: 0 })
    const listed = await listKeys(owner)
    expect(listed.map(({ id, today }) => [id, today.counted, today.issued])).toEqual([[third.id, 1_000, 1_000]])
  })

  test('the count of another UTC day is separate', async () => {
    const owner = await makeAccount()
    const old = await makeKey(owner)
    await spend(owner, old.id, 600)
    const fresh = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: old.id, overlapSec: 3_600 })
    await db().keyDay.updateMany({ where: { keyId: old.id }, data: { day: new Date(Date.now() - 86_400_000) } })
    expect(await spend(owner, fresh.id, 2_000)).toMatchObject({ granted: 1_000 })
    expect(await spend(owner, old.id, 1)).toMatchObject({ granted: 0 })
  })

  test('the quota that an operator set', async () => {
    const owner = await makeAccount()
    const old = await makeKey(owner)
    await db().apiKey.update({ where: { id: old.id }, data: { dailyQuota: 5_000 } })
    await spend(owner, old.id, 1_500)
    const fresh = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: old.id, overlapSec: 0 })
    expect(await spend(owner, fresh.id, 5_000)).toMatchObject({ granted: 3_500, limit: 5_000 })
  })

  test('the monthly spending cap and the amount spent of it', async () => {
    const owner = await makeAccount()
    await db().account.update({ where: { id: owner.accountId }, data: { tier: 'PAID' } })
    await db().wallet.update({ where: { accountId: owner.accountId }, data: { balance: 10n ** 9n, posted: 10n ** 9n } })
    const old = await makeKey(owner)
    await setKeyCap(owner, { keyId: old.id, monthCap: 1_500n * BigInt(TOKEN_PRICE) })
    await spend(owner, old.id, 1_100)
    const fresh = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: old.id, overlapSec: 3_600 })
    expect(await spend(owner, fresh.id, 600)).toMatchObject({ granted: 400, held: 'key_cap', limit: 1_000 })
    const shown = async () => (await billingOverview(owner)).keys.map(({ id, monthCap, monthSpent }) => ({ id, monthCap, monthSpent }))
    expect(await shown()).toEqual([{ id: fresh.id, monthCap: '0.75', monthSpent: '0.75' }])
    await setKeyCap(owner, { keyId: fresh.id, monthCap: 1_600n * BigInt(TOKEN_PRICE) })
    expect(await spend(owner, old.id, 600)).toMatchObject({ granted: 100, held: 'key_cap' })
    await setKeyCap(owner, { keyId: fresh.id, monthCap: null })
    expect(await spend(owner, old.id, 600)).toMatchObject({ granted: 600, held: undefined })
  })
})

test('listKeys returns working keys first, and of a rotation the newest key', async () => {
  const owner = await makeAccount()
  const keys = [await makeKey(owner), await makeKey(owner), await makeKey(owner)] as const
  const day = (at: number) => new Date(Date.UTC(2026, 0, at))
  for (const [at, { id }] of keys.entries()) await db().apiKey.update({ where: { id }, data: { createdAt: day(at + 1) } })
  await revokeKey(owner, { keyId: keys[2].id })
  const fresh = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: keys[0].id, overlapSec: 3_600 })
  // The revocation has the database's time; this process's clock may be a few milliseconds behind.
  await vi.waitFor(async () => expect((await listKeys(owner)).map(({ id }) => id)).toEqual([fresh.id, keys[1].id, keys[2].id]))
})
