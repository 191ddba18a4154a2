import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { keyUsage } from '../../analytics/key-usage.ts'
import { dayBefore } from '../../analytics/range.ts'
import { trafficCollector } from '../../analytics/requests/collector.ts'
import { countRequests } from '../../analytics/requests/counters.ts'
import { listRequests } from '../../analytics/requests/list-requests.ts'
import { usage } from '../../analytics/usage.ts'
import { TOKEN_PRICE } from '../../billing/price-schema.ts'
import { spend } from '../../billing/spend.ts'
import { getKey } from '../../dashboard/get-key.ts'
import { listKeys } from '../../dashboard/list-keys.ts'
import { listQuotaRequests, requestQuota, resolveQuotaRequest } from '../quotas/quota-requests.ts'
import type { CreatedKey } from './create-key.ts'
import { revokeKey } from './end-key.ts'
import { rotateKey } from './rotate-key.ts'

await testDatabase()
const base = await startHttpServer()
let owner: AccountCtx
let other: CreatedKey
/** Each replaced the one before; the first two overlaps still run. */
let chain: [CreatedKey, CreatedKey, CreatedKey]

/** Tokens issued with each key of the chain. */
const ISSUED = [3, 2, 1]

beforeAll(async () => {
  owner = await makeAccount()
  await db().account.update({ where: { id: owner.accountId }, data: { tier: 'PAID' } })
  await db().wallet.update({ where: { accountId: owner.accountId }, data: { balance: 10n ** 9n, posted: 10n ** 9n } })
  const videoId = await makeVideo(owner)
  other = await makeKey(owner, { name: 'Other' })
  const first = await makeKey(owner)
  const second = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: first.id, overlapSec: 3_600 })
  const third = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: second.id, overlapSec: 3_600 })
  chain = [first, second, third]
  for (const [at, { id, value }] of chain.entries()) {
    await db().apiKey.update({ where: { id }, data: { createdAt: new Date(Date.UTC(2026, 0, at + 1)) } })
    for (let issued = 0; issued < (ISSUED[at] ?? 0); issued++)
      expect(
        (await send(`${base}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': value } })).status,
      ).toBe(200)
  }
  await send(`${base}/v1/video`, { headers: { 'x-service-key': other.value } })
  await trafficCollector().flush()
})

test('the list has one key for a chain: the newest, with the counts of all and the state of each', async () => {
  const listed = await listKeys(owner)
  expect(listed.map(({ id }) => id)).toEqual([other.id, chain[2].id])
  const [, key] = listed
  expect(key).toMatchObject({ state: 'ACTIVE', requestCount: 6, today: { requests: 6, issued: 6, refused: 0, counted: 6 } })
  expect(key?.lastUsedAt).toEqual(expect.any(Date))
  expect(key?.rotations.map(({ id, state, requestCount }) => [id, state, requestCount])).toEqual([
    [chain[2].id, 'ACTIVE', 1],
    [chain[1].id, 'ROTATING_OUT', 2],
    [chain[0].id, 'ROTATING_OUT', 3],
  ])
  expect(listed[0]?.rotations).toEqual([])
})

test('a replaced key has its own state and the counts of the chain', async () => {
  const [newest, oldest] = await Promise.all([chain[2], chain[0]].map(({ id }) => getKey(owner, { keyId: id })))
  expect(oldest).toMatchObject({ id: chain[0].id, prefix: chain[0].prefix, state: 'ROTATING_OUT', requestCount: 6 })
  expect(oldest?.rotations).toEqual(newest?.rotations)
  await expect(getKey(await makeAccount(), { keyId: chain[0].id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('usage, the request log and spending are those of the chain, whichever of its keys is asked for', async () => {
  const range = { from: dayBefore(0), to: dayBefore(0) }
  for (const { id: keyId } of chain) {
    for (const range of ['today', '30d'] as const)
      expect((await keyUsage(owner, { keyId, range })).totals).toMatchObject({ requests: 6, issued: 6 })
    expect((await listRequests(owner, { keyId, limit: 50 })).requests).toHaveLength(6)
    expect((await countRequests(owner, { keyId })).statuses).toEqual([{ status: 200, requests: 6 }])
  }
  const { series } = await usage(owner, { ...range, split: 'key' })
  expect(series.map(({ name, requests, values }) => [name, requests, values.reduce((sum, count) => sum + count, 0)])).toEqual([
    [chain[2].id, 6, 6],
    [other.id, 1, 1],
  ])
  const { keys } = await spend(owner, { days: 7 })
  expect(keys.map(({ keyId, tokens, values }) => [keyId, tokens, values.at(-1)])).toEqual([[chain[2].id, 6, (6 * TOKEN_PRICE) / 1_000_000]])
})

test('another account reads nothing of the chain', async () => {
  const stranger = await makeAccount()
  await expect(keyUsage(stranger, { keyId: chain[0].id, range: '7d' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await listRequests(stranger, { keyId: chain[0].id, limit: 50 })).requests).toEqual([])
  expect(await listQuotaRequests(stranger, { keyId: chain[0].id })).toEqual([])
})

test('a quota that was requested before a rotation is granted to the chain', async () => {
  const key = await makeKey(owner, { name: 'Festival' })
  const { id: requestId } = await requestQuota(owner, { keyId: key.id, requestedQuota: 250_000, reason: 'A festival' })
  const fresh = await rotateKey(owner, { address: '192.0.2.1' }, { keyId: key.id, overlapSec: 3_600 })
  expect(await listQuotaRequests(owner, { keyId: fresh.id })).toMatchObject([{ id: requestId, status: 'OPEN' }])
  const staff: AccountCtx = { ...owner, actor: { kind: 'operator' } }
  await resolveQuotaRequest(staff, { requestId, approvedQuota: 200_000, resolutionNote: 'Enjoy' })
  for (const { id } of [key, fresh]) expect((await getKey(owner, { keyId: id })).dailyQuota).toBe(200_000)
  expect((await getKey(owner, { keyId: chain[2].id })).dailyQuota).not.toBe(200_000)
})

test('a chain whose newest key was revoked is listed with the working keys while an overlap runs', async () => {
  const account = await makeAccount()
  const old = await makeKey(account)
  const fresh = await rotateKey(account, { address: '192.0.2.1' }, { keyId: old.id, overlapSec: 3_600 })
  const gone = await makeKey(account)
  for (const { id } of [fresh, gone]) await revokeKey(account, { keyId: id })
  // The revocations have the database's time; this process's clock may be a few milliseconds behind.
  await expect
    .poll(async () => (await listKeys(account)).map(({ id, state }) => [id, state]))
    .toEqual([
      [fresh.id, 'REVOKED'],
      [gone.id, 'REVOKED'],
    ])
})
