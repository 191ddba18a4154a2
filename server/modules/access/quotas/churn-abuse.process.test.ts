import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'
import { provide } from '../../../testing/settings.ts'
import { revokeKey } from '../keys/end-key.ts'
import { grant, grantKeys, remainingQuota } from './daily-quota.ts'

await testDatabase()
provide({ ACCOUNT_FREE_TOKENS: '2500' })
let servers: WebProcess[]
beforeAll(async () => {
  servers = await startWebProcesses(2, { settings: { ACCOUNT_FREE_TOKENS: '2500' } })
})

const spend = (ctx: AccountCtx, keyId: string, wanted: number) => grant(keyId, ctx.accountId, wanted)

describe('free tokens of an account', () => {
  it.each([
    ['FREE', 'LIVE'],
    ['PAID', 'LIVE'],
    ['PAID', 'TEST'],
  ] as const)('are limited across successive keys on the %s tier: %s', async (tier, environment) => {
    const owner = await makeAccount()
    await db().account.update({ where: { id: owner.accountId }, data: { tier } })
    const granted: number[] = []
    for (let at = 0; at < 5; at++) {
      const { id } = await makeKey(owner, { environment })
      granted.push((await spend(owner, id, 1_200))?.granted ?? -1)
      await revokeKey(owner, { keyId: id })
    }
    // Each key has the full quota of the specification until the account has no free tokens left.
    expect(granted).toEqual([1_000, 1_000, 500, 0, 0])
  })

  it('are refused with 429, a separate reason and no remaining requests', async () => {
    const owner = await makeAccount()
    const videoId = await makeVideo(owner)
    const [first, second, third] = [await makeKey(owner), await makeKey(owner), await makeKey(owner, { environment: 'TEST' })]
    const ask = (value: string) =>
      fetch(`${servers[0]?.url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': value } })
    await grantKeys(owner.accountId, new Map([first.id, second.id].map((id) => [id, 1_000])))
    await spend(owner, third.id, 499)
    expect(await remainingQuota(third.id, owner.accountId)).toMatchObject({ limit: 1_000, remaining: 1 })
    const last = await ask(third.value)
    expect([last.status, last.headers.get('x-ratelimit-remaining')]).toEqual([200, '0'])
    const refused = await ask(third.value)
    expect(refused.status).toBe(429)
    expect(Object.fromEntries(['limit', 'remaining'].map((name) => [name, refused.headers.get(`x-ratelimit-${name}`)]))).toEqual({
      limit: '1000',
      remaining: '0',
    })
    const { error } = (await refused.json()) as { error: { code: string; details: unknown; retryAfter: number } }
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { reason: 'ACCOUNT_FREE_QUOTA' } })
    expect(String(error.retryAfter)).toBe(refused.headers.get('retry-after'))
    const own = await ask(first.value)
    expect(((await own.json()) as { error: object }).error).not.toHaveProperty('details')
  })

  it('are exact when all keys are used concurrently in two processes', async () => {
    const owner = await makeAccount()
    const videoId = await makeVideo(owner)
    await db().accountLimit.create({ data: { accountId: owner.accountId, name: 'freeTokens', value: 137, reason: 'test', setBy: 'test' } })
    const keys = await Promise.all(Array.from({ length: 6 }, (_, at) => makeKey(owner, { environment: at % 2 ? 'TEST' : 'LIVE' })))
    const statuses = await Promise.all(
      Array.from({ length: 240 }, async (_, at) => {
        const url = `${servers[at % 2]?.url}/v1/video/${videoId}/playback-token`
        const { status } = await fetch(url, { method: 'POST', headers: { 'x-service-key': keys[at % 6]?.value as string } })
        return status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(137)
    expect(statuses.filter((status) => status === 429)).toHaveLength(103)
    expect(await db().wallet.findUnique({ where: { accountId: owner.accountId } })).toMatchObject({ freeIssued: 137n })
  })

  it('exclude paid tokens and keys whose quota an operator set', async () => {
    const owner = await makeAccount()
    await db().account.update({ where: { id: owner.accountId }, data: { tier: 'PAID' } })
    await db().wallet.update({ where: { accountId: owner.accountId }, data: { balance: 10n ** 9n, posted: 10n ** 9n } })
    const paying = await makeKey(owner)
    expect(await spend(owner, paying.id, 5_000)).toMatchObject({ granted: 5_000, held: undefined, accountLeft: undefined })
    expect(await db().wallet.findUnique({ where: { accountId: owner.accountId } })).toMatchObject({ freeIssued: 0n })
    await db().account.update({ where: { id: owner.accountId }, data: { tier: 'FREE' } })
    const raised = await makeKey(owner)
    await db().apiKey.update({ where: { id: raised.id }, data: { dailyQuota: 9_000 } })
    expect(await spend(owner, raised.id, 10_000)).toMatchObject({ granted: 9_000 })
  })

  it('are restored on the next UTC day', async () => {
    const owner = await makeAccount()
    const { id } = await makeKey(owner)
    await db().wallet.update({
      where: { accountId: owner.accountId },
      data: { freeDay: new Date(Date.now() - 86_400_000), freeIssued: 2_500 },
    })
    expect(await remainingQuota(id, owner.accountId)).toMatchObject({ remaining: 1_000 })
    expect(await spend(owner, id, 10)).toMatchObject({ granted: 10, accountLeft: 2_490 })
  })
})
