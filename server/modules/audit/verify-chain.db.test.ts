import { describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db, query } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { recordOperator } from './operator-log.ts'
import { record } from './record.ts'
import { verifyAudit } from './verify-chain.ts'

await testDatabase()

const write = (ctx: AccountCtx, subject: string) =>
  db().$transaction((tx) =>
    record(tx, ctx, {
      action: 'video.edit',
      subject,
      before: { title: 'é "quoted" \\ \u2028' },
      after: { n: 1, list: ['a', 'b'], none: null },
    }),
  )
/** Changes rows with the triggers off, which only the owner of the tables can do. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  await db().$transaction(async (tx) => {
    await tx.$executeRawUnsafe("SET LOCAL session_replication_role = 'replica'")
    await tx.$executeRawUnsafe(statement, ...values)
  })
}
async function written(entries: number): Promise<AccountCtx> {
  const ctx = await makeAccount()
  for (let at = 1; at <= entries; at++) await write(ctx, `vid_${at}`)
  return ctx
}
const faultOf = async ({ accountId }: AccountCtx) => (await verifyAudit()).faults.find((fault) => fault.accountId === accountId)

describe('verifyAudit', () => {
  it('accepts intact chains, and its digest changes with them', async () => {
    const ctx = await written(3)
    const before = await verifyAudit()
    expect(before.faults).toEqual([])
    await write(ctx, 'vid_4')
    // Entries of the installation are in no chain.
    await db().$transaction((tx) => recordOperator(tx, { name: 'operator', email: null }, { action: 'announcement.end', subject: 'ann_1' }))
    const after = await verifyAudit()
    expect(after).toMatchObject({ entries: before.entries + 1, faults: [] })
    expect(after.digest).not.toBe(before.digest)
  })

  it('chains entries of many concurrent transactions in order', async () => {
    const ctx = await makeAccount()
    await Promise.all(Array.from({ length: 20 }, (_, at) => write(ctx, `vid_${at}`)))
    const links = await db().auditLink.findMany({ where: { accountId: ctx.accountId }, orderBy: { seq: 'asc' } })
    expect(links.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
    expect(await faultOf(ctx)).toBeUndefined()
  })

  it.each([
    [
      'an entry that was changed',
      `UPDATE audit_entry SET after = '{"n":2}' WHERE account_id = $1 AND subject = 'vid_2'`,
      'the entry or a hash was changed',
    ],
    ['an entry that was removed', `DELETE FROM audit_entry WHERE account_id = $1 AND subject = 'vid_2'`, 'the entry was removed'],
    [
      'an entry and its link that were removed',
      `WITH gone AS (DELETE FROM audit_entry WHERE account_id = $1 AND subject = 'vid_2' RETURNING id) DELETE FROM audit_link USING gone WHERE entry_id = gone.id`,
      'the previous link is missing',
    ],
    [
      'the last entry and its link that were removed',
      `WITH gone AS (DELETE FROM audit_entry WHERE account_id = $1 AND subject = 'vid_3' RETURNING id) DELETE FROM audit_link USING gone WHERE entry_id = gone.id`,
      'the last link does not match the head of the chain',
    ],
    [
      'an entry that was put in without a link',
      `INSERT INTO audit_entry (account_id, actor, action, subject) VALUES ($1, 'system', 'video.edit', 'vid_9')`,
      'the entry is not in the chain',
    ],
    ['a head that was removed', 'DELETE FROM audit_chain WHERE account_id = $1', 'the head of the chain is missing'],
  ])('names %s', async (_what, statement, problem) => {
    const ctx = await written(3)
    await tamper(statement, [ctx.accountId])
    expect(await faultOf(ctx)).toMatchObject({ problem })
  })

  it('leaves nothing of a deleted account', async () => {
    const ctx = await written(2)
    await db().account.delete({ where: { id: ctx.accountId } })
    const left = await query(
      'left',
      'SELECT 1 FROM audit_link WHERE account_id = $1 UNION ALL SELECT 1 FROM audit_entry WHERE account_id = $1',
      [ctx.accountId],
    )
    expect(left).toEqual([])
  })
})
