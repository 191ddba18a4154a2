import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../server/context.ts'
import { batchedQuota } from '../server/modules/access/quotas/batched-grant.ts'
import { closeHours } from '../server/modules/billing/close-hours.ts'
import { db, pool } from '../server/platform/database/database.ts'
import { stopClock } from '../server/testing/clock.ts'
import { testDatabase } from '../server/testing/database.ts'
import { makeAccount, makeKey } from '../server/testing/make.ts'
import { operator as run } from './operator/run-in-test.ts'

const { dataDir } = await testDatabase()
const put = await stopClock('2026-11-21T09:10:00Z')

/** Returns the exit code and the whole output of a command. */
const operator = (args: string[]) => run(...args).then(({ code, out, err }) => ({ code, output: out + err }))

let ctx: AccountCtx
let email: string
beforeAll(async () => {
  ctx = await makeAccount()
  email = (ctx.actor as { email: string }).email
})

test('credit, tier and correction take an e-mail address or id and write an entry and a line in the audit log', async () => {
  expect(await operator(['credit', email, '12.5', '--reason', 'Opening credit'])).toEqual({
    code: 0,
    output: `The balance of ${ctx.accountId} is 12.5 credits (entry 1).\n`,
  })
  expect(await operator(['set-tier', email, 'paid'])).toMatchObject({ code: 0 })
  expect(await operator(['correct', ctx.accountId, '0.5', '--take', '--reason', 'Typed too much'])).toMatchObject({
    output: `The balance of ${ctx.accountId} is 12 credits (entry 2).\n`,
  })
  expect(await operator(['correct', ctx.accountId, '13', '--take', '--reason', 'Too much'])).toMatchObject({ code: 1 })
  for (const args of [
    ['credit', email, 'lots', '--reason', 'Why'],
    ['credit', email, '0', '--reason', 'Why'],
    ['credit', 'unknown@example.com', '1', '--reason', 'Why'],
  ])
    expect((await operator(args)).code).toBe(1)
  expect((await operator(['credit', email, '1'])).code).toBe(2)
  const audit = await db().auditEntry.findMany({ where: { accountId: ctx.accountId }, orderBy: { id: 'asc' } })
  expect(audit.map(({ actor, action }) => [actor, action])).toEqual([
    ['operator', 'billing.credit'],
    ['operator', 'billing.tier'],
    ['operator', 'billing.correct'],
  ])
})

test('verify-ledger passes an intact ledger, from the database and from its export, and names the first bad row of a changed one', async () => {
  const { id } = await makeKey(ctx)
  await Promise.all(Array.from({ length: 9 }, () => batchedQuota().take(id, ctx.accountId)))
  await put('2026-11-21T10:10:00Z')
  await closeHours(ctx.accountId)
  const file = join(dataDir, 'books.jsonl')
  const whole = await operator(['verify-ledger', '--export', file])
  expect(whole).toMatchObject({ code: 0, output: expect.stringContaining('3 entries of 1 wallets, 9 tokens debited') })
  expect(whole.output).toContain('The ledger is consistent')
  // An existing file is not overwritten.
  expect((await operator(['verify-ledger', '--export', file])).code).toBe(1)
  expect(await operator(['verify-ledger', '--from', file])).toEqual(whole)

  const lines = readFileSync(file, 'utf8').split('\n')
  const changed = (name: string, text: string) => {
    const path = join(dataDir, name)
    writeFileSync(path, text)
    return operator(['verify-ledger', '--from', path])
  }
  expect(await changed('edited', lines.join('\n').replace('Typed too much', 'Nothing'))).toMatchObject({
    code: 1,
    output: expect.stringContaining(`FIRST INCONSISTENT ROW: entry 2 of ${ctx.accountId}: its hash does not match its content`),
  })
  expect(await changed('cut', lines.slice(0, -2).join('\n'))).toMatchObject({ code: 1, output: expect.stringContaining('is truncated') })
  expect(await changed('other', '{}\n')).toMatchObject({ code: 1, output: expect.stringContaining('not a ledger export') })

  // A user with the database owner's rights disables the guard first.
  await pool().query('ALTER TABLE ledger_entry DISABLE TRIGGER ALL')
  await pool().query('UPDATE ledger_entry SET amount = amount - 500 WHERE seq = 3')
  expect(await operator(['verify-ledger'])).toMatchObject({
    code: 1,
    output: expect.stringContaining(`FIRST INCONSISTENT ROW: entry 3 of ${ctx.accountId}`),
  })
})
