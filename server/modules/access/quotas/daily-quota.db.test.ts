import { expect, test } from 'vitest'
import { db, query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { provide } from '../../../testing/settings.ts'
import { grant, quotaTerms, remainingQuota } from './daily-quota.ts'

await testDatabase()
provide({ PAID_DAILY_QUOTA: '3000' })

test.each([
  ['FREE', 'LIVE', null, 1_000],
  ['FREE', 'LIVE', 5, 5],
  ['FREE', 'TEST', null, 1_000],
  ['PAID', 'LIVE', null, 3_000],
  ['PAID', 'LIVE', 250_000, 250_000],
  ['PAID', 'LIVE', 0, 0],
  ['PAID', 'TEST', null, 1_000],
  ['PAID', 'TEST', 250_000, 1_000],
] as const)('on the %s tier a %s key with daily quota %s may issue %s a day', async (tier, environment, dailyQuota, limit) => {
  const owner = await makeAccount()
  await db().account.update({ where: { id: owner.accountId }, data: { tier } })
  await db().wallet.update({ where: { accountId: owner.accountId }, data: { balance: 10n ** 9n, posted: 10n ** 9n } })
  const { id } = await makeKey(owner, { environment })
  await db().apiKey.update({ where: { id }, data: { dailyQuota } })
  expect(await remainingQuota(id, owner.accountId)).toMatchObject({ limit, remaining: limit })
  expect(await grant(id, owner.accountId, limit + 7)).toMatchObject({ limit, granted: limit, issued: limit })
  expect(await remainingQuota(id, owner.accountId)).toMatchObject({ limit, remaining: 0 })
})

test('a change of tier within the day keeps the issued count', async () => {
  const owner = await makeAccount()
  const { id } = await makeKey(owner)
  await db().wallet.update({ where: { accountId: owner.accountId }, data: { balance: 10n ** 9n, posted: 10n ** 9n } })
  const change = (tier: 'FREE' | 'PAID') => db().account.update({ where: { id: owner.accountId }, data: { tier } })
  await grant(id, owner.accountId, 1_000)
  expect(await grant(id, owner.accountId, 1)).toMatchObject({ granted: 0 })
  await change('PAID')
  expect(await grant(id, owner.accountId, 500)).toMatchObject({ granted: 500, issued: 1_500 })
  await change('FREE')
  const { granted, limit } = (await grant(id, owner.accountId, 1)) ?? {}
  expect([granted, limit]).toEqual([0, 1_000])
  expect(await remainingQuota(id, owner.accountId)).toMatchObject({ limit: 1_000, remaining: 0 })
})

test('the reason that is shown is the one for which a grant refuses: the smallest of balance, account cap and key cap', async () => {
  const owner = await makeAccount()
  const { id } = await makeKey(owner)
  await db().account.update({ where: { id: owner.accountId }, data: { tier: 'PAID' } })
  await db().keyCap.create({ data: { keyId: id, accountId: owner.accountId, monthCap: 450n, month: new Date(0), monthSpent: 0n } })
  await grant(id, owner.accountId, 1_000)
  for (const [balance, monthCap, held] of [
    [400n, null, 'credit'],
    [400n, 300n, 'account_cap'],
    [10n ** 9n, 10n ** 9n, 'key_cap'],
  ] as const) {
    await db().wallet.update({ where: { accountId: owner.accountId }, data: { balance, posted: balance, monthCap } })
    const [shown] = await query('shown', 'SELECT held FROM key_quota($1::jsonb) WHERE key_id = $2', [quotaTerms(), id])
    expect([shown?.held, (await grant(id, owner.accountId, 1))?.held]).toEqual([held, held])
  }
})
