import { expect, test } from 'vitest'
import { db, transaction } from '../../platform/database/database.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { waitForLocks } from '../../testing/lock-waits.ts'
import { makeAccount, makeKey } from '../../testing/make.ts'
import { grant } from '../access/quotas/daily-quota.ts'
import { giveCredit } from './credit.ts'
import { TOKEN_PRICE } from './price-schema.ts'
import { setKeyCap } from './set-limits.ts'

await testDatabase()
const PRICE = BigInt(TOKEN_PRICE)
const put = await stopClock('2026-11-30T23:59:59Z')

test('an SQL statement that waits past the end of a month charges the month whose cap it checked', async () => {
  const ctx = await makeAccount()
  const { accountId } = ctx
  await db().account.update({ where: { id: accountId }, data: { tier: 'PAID' } })
  await giveCredit({ ...ctx, actor: { kind: 'operator' } }, { credits: 100n * PRICE, reason: 'Enough' })
  const { id } = await makeKey(ctx)
  await setKeyCap(ctx, { keyId: id, monthCap: 2n * PRICE })
  expect(await grant(id, accountId, 2)).toMatchObject({ granted: 2 })

  const { late } = await transaction(async (december) => {
    await december.query('SELECT FROM wallet WHERE account_id = $1 FOR UPDATE', [accountId])
    const late = grant(id, accountId, 1)
    await waitForLocks(1)
    await put('2026-12-01T00:00:00Z')
    expect(await grant(id, accountId, 1, december)).toMatchObject({ granted: 1 })
    return { late }
  })
  expect(await late).toMatchObject({ granted: 1 })

  const hours = await db().chargeHour.findMany({ where: { keyId: id }, orderBy: { hour: 'asc' } })
  expect(hours.map(({ hour, tokens }) => [hour.toISOString(), Number(tokens)])).toEqual([
    ['2026-11-30T23:00:00.000Z', 2],
    ['2026-12-01T00:00:00.000Z', 2],
  ])
  expect(await db().keyCap.findUnique({ where: { keyId: id } })).toMatchObject({ monthSpent: 2n * PRICE })
})
