import { describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db, pool, transaction } from '../../platform/database/database.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey } from '../../testing/make.ts'
import { batchedQuota } from '../access/quotas/batched-grant.ts'
import { closeAllHours, closeHours } from './close-hours.ts'
import { correctBalance, giveCredit } from './credit.ts'
import { exportLedger, type LedgerRecord } from './export-ledger.ts'
import { type Verdict, Verifier } from './verify-ledger.ts'

await testDatabase()
const put = await stopClock('2026-11-21T09:10:00Z')

async function verdict(tamper: (record: LedgerRecord) => LedgerRecord | undefined = (record) => record): Promise<Verdict> {
  const verifier = new Verifier()
  await exportLedger((record) => {
    const tampered = tamper(record)
    // One JSON line per record, as in an export.
    if (tampered) verifier.take(JSON.parse(JSON.stringify(tampered)))
  })
  return verifier.end()
}

const operator = (ctx: AccountCtx): AccountCtx => ({ ...ctx, actor: { kind: 'operator' } })

async function paidAccount(credits: bigint) {
  const ctx = await makeAccount()
  await db().account.update({ where: { id: ctx.accountId }, data: { tier: 'PAID' } })
  if (credits > 0n) await giveCredit(operator(ctx), { credits, reason: 'A start' })
  return { ctx, keys: [await makeKey(ctx), await makeKey(ctx)] as const }
}

const take = (ctx: AccountCtx, keyId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => batchedQuota().take(keyId, ctx.accountId)))

/** Creates entries of every kind over several hours for two keys. */
async function history() {
  await put('2026-11-21T09:10:00Z')
  const { ctx, keys } = await paidAccount(1_000_000n)
  await take(ctx, keys[0].id, 30)
  await take(ctx, keys[1].id, 12)
  await put('2026-11-21T10:10:00Z')
  await closeHours(ctx.accountId)
  await correctBalance(operator(ctx), { credits: 4_000n, direction: 'take', reason: 'Counted twice' })
  await take(ctx, keys[0].id, 5)
  await put('2026-11-21T11:10:00Z')
  await closeHours(ctx.accountId)
  await take(ctx, keys[0].id, 7)
  return { ctx, keys }
}

test('closeHours writes one chained debit per key and hour with its balance; the wallet’s balance changes at issue', async () => {
  const { ctx, keys } = await history()
  const entries = await db().ledgerEntry.findMany({ where: { accountId: ctx.accountId }, orderBy: { seq: 'asc' } })
  const [first, second] = keys.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1))
  const tokensOf = (keyId: string | undefined) => (keyId === keys[0].id ? 30 : 12)
  let balance = 1_000_000n
  const after = (amount: bigint) => (balance += amount)
  expect(
    entries.map(({ seq, kind, debit, credit, amount, balanceAfter, keyId, tokens }) => [
      seq,
      kind,
      debit,
      credit,
      amount,
      balanceAfter,
      keyId,
      tokens,
    ]),
  ).toEqual([
    [1, 'credit', 'grants', 'wallet', 1_000_000n, 1_000_000n, null, null],
    ...[first, second].map((keyId, at) => {
      const cost = BigInt(tokensOf(keyId) * 500)
      return [at + 2, 'usage', 'wallet', 'usage', cost, after(-cost), keyId, tokensOf(keyId)]
    }),
    [4, 'correction', 'wallet', 'adjustments', 4_000n, after(-4_000n), null, null],
    [5, 'usage', 'wallet', 'usage', 2_500n, after(-2_500n), keys[0].id, 5],
  ])
  const wallet = await db().wallet.findUniqueOrThrow({ where: { accountId: ctx.accountId } })
  expect([wallet.posted, wallet.balance]).toEqual([balance, balance - 7n * 500n])
  expect(await verdict()).toMatchObject({ faults: [] })
})

test('closeHours closes each hour once under concurrent calls', async () => {
  await put('2026-11-21T12:10:00Z')
  const { ctx, keys } = await paidAccount(1_000_000n)
  await take(ctx, keys[0].id, 3)
  await put('2026-11-21T13:00:30Z')
  // A grant of these seconds can belong to the previous hour.
  expect(await closeHours(ctx.accountId)).toBe(0)
  await put('2026-11-21T13:01:00Z')
  await Promise.all(Array.from({ length: 5 }, () => closeAllHours()))
  expect(await db().ledgerEntry.count({ where: { accountId: ctx.accountId } })).toBe(2)
  expect((await verdict()).faults).toEqual([])
})

test('a late charge for a closed hour counts in the first open hour', async () => {
  await put('2026-11-21T14:10:00Z')
  const { ctx, keys } = await paidAccount(1_000_000n)
  await take(ctx, keys[0].id, 3)
  await put('2026-11-21T15:10:00Z')
  await closeHours(ctx.accountId)
  await put('2026-11-21T14:59:59Z')
  await take(ctx, keys[0].id, 2)
  const hours = await db().chargeHour.findMany({ where: { accountId: ctx.accountId }, orderBy: { hour: 'asc' } })
  expect(hours.map(({ hour, tokens, entry }) => [hour.toISOString(), tokens, entry])).toEqual([
    ['2026-11-21T14:00:00.000Z', 3, 2],
    ['2026-11-21T15:00:00.000Z', 2, null],
  ])
  expect((await verdict()).faults).toEqual([])
})

describe('the ledger is append-only', () => {
  test.each([
    ['an entry is changed', `UPDATE ledger_entry SET amount = amount + 1`],
    ['an entry is deleted', `DELETE FROM ledger_entry`],
    ['the ledger is truncated', `TRUNCATE ledger_entry`],
    ['a posted hour is changed', `UPDATE charge_hour SET tokens = tokens + 1 WHERE entry IS NOT NULL`],
    ['a posted hour is deleted', `DELETE FROM charge_hour WHERE entry IS NOT NULL`],
    ['the hours are truncated', `TRUNCATE charge_hour`],
  ])('the database refuses: %s', async (_what, sql) => {
    await history()
    await expect(pool().query(sql)).rejects.toThrow('is append-only')
  })

  test('the database and correctBalance refuse a negative balance', async () => {
    const { ctx } = await paidAccount(10n)
    await expect(pool().query('UPDATE wallet SET balance = -1 WHERE account_id = $1', [ctx.accountId])).rejects.toThrow(
      'wallet_never_negative',
    )
    await expect(correctBalance(operator(ctx), { credits: 11n, direction: 'take', reason: 'Too much' })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })
})

const posted = (r: LedgerRecord) => r.type === 'hour' && r.entry === 5
const isOpen = (r: LedgerRecord) => r.type === 'hour' && r.entry === null
const [POSTED, OPEN] = ['hour 2026-11-21T10:00:00.000Z of key_', 'hour 2026-11-21T11:00:00.000Z of key_']

test.each<[string, (record: LedgerRecord) => Partial<Record<string, unknown>> | null | undefined, string, RegExp]>([
  ['an amount', (r) => (r.type === 'entry' && r.seq === 3 ? { amount: '1' } : undefined), 'entry 3', /was changed/],
  ['a reason', (r) => (r.type === 'entry' && r.seq === 4 ? { reason: 'Nothing' } : undefined), 'entry 4', /was changed/],
  ['a time', (r) => (r.type === 'entry' && r.seq === 1 ? { at: '2026-11-21T09:10:00.001Z' } : undefined), 'entry 1', /was changed/],
  ['a deleted entry', (r) => (r.type === 'entry' && r.seq === 2 ? null : undefined), 'entry 2', /missing/],
  ['a deleted last entry', (r) => (r.type === 'entry' && r.seq === 5 ? null : undefined), 'entry 5', /missing/],
  ['a hash', (r) => (r.type === 'entry' && r.seq === 2 ? { hash: 'f'.repeat(64) } : undefined), 'entry 2', /was changed/],
  ['a link', (r) => (r.type === 'entry' && r.seq === 2 ? { previous: 'f'.repeat(64) } : undefined), 'entry 2', /previous hash/],
  ['a balance of the wallet', (r) => (r.type === 'wallet' ? { balance: '999999999' } : undefined), 'wallet', /open hours give/],
  ['a posted hour', (r) => (posted(r) ? { tokens: 6, cost: '3000' } : undefined), POSTED, /records 6 tokens, 3000 .* debits 5 tokens/],
  ['the tokens of a posted hour', (r) => (posted(r) ? { tokens: 6 } : undefined), POSTED, /records 6 tokens, 2500/],
  ['a deleted posted hour', (r) => (posted(r) ? null : undefined), POSTED, /missing/],
  ['a reopened posted hour', (r) => (posted(r) ? { entry: null } : undefined), POSTED, /names no entry/],
  ['a posted hour with another entry', (r) => (posted(r) ? { entry: 2 } : undefined), POSTED, /names entry 2/],
  ['an open hour', (r) => (isOpen(r) ? { tokens: 1, cost: '500' } : undefined), OPEN, /hours .*; the wallet agrees with the days/],
  ['a deleted open hour', (r) => (isOpen(r) ? null : undefined), 'open hours of', /the wallet agrees with the days/],
  ['an open hour marked as posted', (r) => (isOpen(r) ? { entry: 5 } : undefined), OPEN, /names entry 5, which does not debit this hour/],
  ['a counter of the quota', (r) => (r.type === 'key' && r.cost !== '0' ? { cost: '0' } : undefined), 'counters of', /cost 0/],
  [
    'a wallet with fewer entries',
    (r) => (r.type === 'wallet' ? { entries: 4 } : undefined),
    'wallet',
    /counts 4 entries; the ledger has 5/,
  ],
  ['the posted sum of a wallet', (r) => (r.type === 'wallet' ? { posted: '1' } : undefined), 'wallet', /posted sum is 1/],
  ['the head of a wallet', (r) => (r.type === 'wallet' ? { head: 'f'.repeat(64) } : undefined), 'wallet', /last hash/],
  ['a deleted wallet', (r) => (r.type === 'wallet' ? null : undefined), 'wallet', /missing/],
  ['a kind', (r) => (r.type === 'entry' && r.seq === 4 ? { kind: 'credit' } : undefined), 'entry 4', /was changed/],
])('Verifier reports the first inconsistent row: %s', async (_what, tamper, row, problem) => {
  const { ctx } = await history()
  const { faults } = await verdict((record) => {
    if (record.accountId !== ctx.accountId) return record
    const change = tamper(record)
    return change === null ? undefined : ({ ...record, ...change } as LedgerRecord)
  })
  expect(faults[0]?.accountId).toBe(ctx.accountId)
  expect(faults[0]?.row).toContain(row)
  expect(faults[0]?.problem).toMatch(problem)
})

test('Verifier reports a chain rewritten from a changed entry, because its head differs from the wallet’s', async () => {
  const { ctx } = await history()
  const { hashOf } = await import('./chain.ts')
  let previous: string | undefined
  const { faults } = await verdict((record) => {
    if (record.accountId !== ctx.accountId || record.type !== 'entry' || record.seq < 4) return record
    const { type, hash: _, ...content } = { ...record, ...(record.seq === 4 && { reason: 'Other' }), ...(previous && { previous }) }
    previous = hashOf(content)
    return { type, ...content, hash: previous }
  })
  expect(faults).toEqual([{ accountId: ctx.accountId, row: 'wallet', problem: expect.stringContaining('last hash') }])
})

test('Verifier reports a row changed in the database with its triggers disabled', async () => {
  const { ctx, keys } = await history()
  await transaction(async (connection) => {
    await connection.query(`SET LOCAL session_replication_role = replica`)
    await connection.query('UPDATE charge_hour SET tokens = tokens + 1, cost = cost + 500 WHERE key_id = $1 AND entry IS NOT NULL', [
      keys[1].id,
    ])
  })
  const { faults } = await verdict((record) => (record.accountId === ctx.accountId ? record : undefined))
  expect(faults).toEqual([
    {
      accountId: ctx.accountId,
      row: `hour 2026-11-21T09:00:00.000Z of ${keys[1].id}`,
      problem: expect.stringContaining('records 13 tokens'),
    },
  ])
})
