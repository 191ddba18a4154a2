import { expect, test } from 'vitest'
import { GET } from '../../../app/api/billing/ledger/route.ts'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey } from '../../testing/make.ts'
import { cookieFor } from '../../testing/sign-in.ts'
import { grant } from '../access/quotas/daily-quota.ts'
import { lockWallet } from '../identity/accounts/storage.ts'
import { closeHours } from './close-hours.ts'
import { correctBalance, giveCredit } from './credit.ts'
import { post } from './post.ts'

await testDatabase()
const put = await stopClock('2026-11-21T09:10:00Z')

const operator = (ctx: AccountCtx): AccountCtx => ({ ...ctx, actor: { kind: 'operator' } })
const file = async (cookie?: string) => {
  const answer = await GET(new Request('https://video.example.com/api/billing/ledger', { headers: cookie ? { cookie } : {} }))
  const text = await answer.text()
  return { answer, text, rows: text.trimEnd().split('\r\n') }
}

test('ledgerCsv returns exact micro-credit amounts for all kinds of entries and escapes formulas in reasons', async () => {
  const ctx = await makeAccount()
  await db().account.update({ where: { id: ctx.accountId }, data: { tier: 'PAID' } })
  const key = await makeKey(ctx, { name: '=cmd(), "quoted"' })
  // Exceeds the precision of a double at six decimal places.
  await giveCredit(operator(ctx), { credits: 999_999_999_999_999n, reason: '=1+1' })
  await grant(key.id, ctx.accountId, 3)
  await put('2026-11-21T10:10:00Z')
  await closeHours(ctx.accountId)
  await correctBalance(operator(ctx), { credits: 1n, direction: 'take', reason: 'A, "mistake"' })
  const { answer, rows } = await file(await cookieFor(ctx))
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="ledger.csv"')
  expect(rows.map((row) => row.replace(/,[0-9a-f]{64}$/, ''))).toEqual([
    'entry,time,kind,amount,balance_after,key_id,key_name,hour,tokens,reason,hash',
    '3,2026-11-21T10:10:00.000Z,Correction,-0.000001,999999999.998498,,,,,"A, ""mistake"""',
    `2,2026-11-21T10:10:00.000Z,Usage,-0.0015,999999999.998499,${key.id},"'=cmd(), ""quoted""",2026-11-21T09:00:00.000Z,3,`,
    "1,2026-11-21T09:10:00.000Z,Credit,999999999.999999,999999999.999999,,,,,'=1+1",
  ])
})

test('ledgerCsv returns 2,500 entries once each, in order', async () => {
  const ctx = await makeAccount()
  const movement = (n: number) => ({ kind: 'credit' as const, amount: 1n, actor: 'operator', reason: `Number ${n}` })
  await db().$transaction(
    async (tx) => {
      const wallet = await lockWallet(tx, ctx.accountId)
      await post(
        tx,
        wallet,
        Array.from({ length: 2_500 }, (_, n) => movement(n + 1)),
        2_500n,
      )
    },
    { timeout: 110_000 },
  )
  const { rows } = await file(await cookieFor(ctx))
  expect(rows.length).toBe(2_501)
  expect(rows.slice(1).map((row) => Number(row.split(',')[0]))).toEqual(Array.from({ length: 2_500 }, (_, n) => 2_500 - n))
  expect(rows.at(1)).toMatch(/^2500,.*,Credit,0\.000001,0\.0025,,,,,Number 2500,[0-9a-f]{64}$/)
})

test('the download requires a session and returns only the member’s own account', async () => {
  const [one, other] = [await makeAccount(), await makeAccount()]
  await giveCredit(operator(one), { credits: 7n, reason: 'A secret' })
  const { answer } = await file()
  expect(answer.status).toBe(401)
  const theirs = await file(await cookieFor(other))
  expect([theirs.answer.status, theirs.rows]).toEqual([200, [expect.stringMatching(/^entry,/)]])
  expect(theirs.text).not.toContain('A secret')
})
