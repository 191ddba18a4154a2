import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { dayBefore } from '../../modules/analytics/range.ts'
import { usage } from '../../modules/analytics/usage.ts'
import { exportAudit } from '../../modules/audit/export.ts'
import { record } from '../../modules/audit/record.ts'
import { listAccountActivity } from '../../modules/backoffice/support/account-activity.ts'
import { requireStaff } from '../../modules/backoffice/support/staff.ts'
import { giveCredit } from '../../modules/billing/credit.ts'
import { ledgerCsv } from '../../modules/billing/export-ledger.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey } from '../../testing/make.ts'
import { POOLS, provide, renew } from '../../testing/settings.ts'
import { makeStaff } from '../../testing/staff.ts'
import { freePort } from '../config/free-port.ts'
import { services } from '../container.ts'
import { processRegistry } from '../process-registry.ts'
import { closeDb, db } from './database.ts'
import { notifications } from './notifications.ts'
import { closeReplica, MOST_BEHIND_SEC, makeReplica, readLagging } from './read-replica.ts'

const { url } = await testDatabase()
const copy = `${new URL(url).pathname.slice(1)}_copy`
let ctx: AccountCtx
let replica: pg.Client

async function admin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.REELGATE_TEST_SERVER })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

const issued = async () => (await usage(ctx, { from: dayBefore(0), to: dayBefore(0) })).totals.issued

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

/** Sets on the replica how old its newest heartbeat is; an hour ahead, it stays fresh however slow the test is. */
const setBehind = (seconds: number) =>
  replica.query('UPDATE process SET heartbeat_at = clock_timestamp() - make_interval(secs => $1)', [seconds])

/** Uses the replica as a process that has not read it yet. */
async function connect(address?: string): Promise<void> {
  await closeReplica()
  provide({ DATABASE_READ_URL: address ?? '' })
  services().replica = makeReplica()
}

const copyUrl = new URL(url)
copyUrl.pathname = `/${copy}`

/** The second database is a copy that receives nothing, so that a difference shows which one was read. */
beforeAll(async () => {
  ctx = await makeAccount()
  const { id } = await makeKey(ctx)
  await db().keyDay.create({ data: { keyId: id, day: new Date(dayBefore(0)), issued: 7 } })
  await db().$transaction((tx) => record(tx, ctx, { action: 'account.rename', subject: ctx.accountId }))
  await processRegistry().join(['web'])
  // A template must have no connections.
  await notifications().stop()
  await closeDb()
  await admin(`CREATE DATABASE ${copy} TEMPLATE ${new URL(url).pathname.slice(1)}`)
  renew(...POOLS, 'probePool', 'prisma', 'notifications')
  await notifications().start()
  replica = new pg.Client({ connectionString: copyUrl.href })
  await replica.connect()
  await replica.query('UPDATE key_day SET issued = 5')
})
afterAll(async () => {
  await closeReplica()
  await processRegistry().leave()
  await replica.end()
  await admin(`DROP DATABASE ${copy} WITH (FORCE)`)
})

it('reads from the primary without DATABASE_READ_URL', async () => {
  await connect()
  expect(await issued()).toBe(7)
})

it('reads usage, the account list of support staff and exports from the replica, and the first list from the primary', async () => {
  await setBehind(-3_600)
  await connect(copyUrl.href)
  expect(await issued()).toBe(5)
  await db().$transaction((tx) => record(tx, ctx, { action: 'account.rename', subject: ctx.accountId }))
  await giveCredit({ ...ctx, actor: { kind: 'operator' } }, { credits: 9n, reason: 'A start' })
  expect(JSON.parse(await textOf(exportAudit(ctx, { format: 'json', filter: {} })))).toHaveLength(2)
  expect((await textOf(ledgerCsv(ctx))).split('\n').filter(Boolean)).toHaveLength(1)
  await makeStaff(ctx)
  const staff = await requireStaff(ctx, 'req_test')
  const input = { days: 1, sort: 'requests', page: 0 } as const
  expect((await listAccountActivity(staff, input)).totals.issued).toBe(7)
  await replica.query("UPDATE installation SET activity_refreshed_at = '2026-01-01'")
  expect(await listAccountActivity(staff, input)).toMatchObject({ totals: { accounts: 0 }, asOf: new Date('2026-01-01') })
})

it('reads from the primary while sessions of the replica do not use UTC, as behind a pooler that drops the setting', async () => {
  await setBehind(-3_600)
  await connect(copyUrl.href)
  Object.assign(services().replica?.on.options ?? {}, { options: '-c TimeZone=Asia/Kolkata' })
  expect(await issued()).toBe(7)
})

it.each<[string, () => Promise<unknown>]>([
  ['is further behind than the bound', () => setBehind(MOST_BEHIND_SEC)],
  ['has no heartbeat', () => replica.query('DELETE FROM process')],
  ['lacks a table', () => replica.query('ALTER TABLE account_viewer_day RENAME TO away')],
])('reads from the primary while the replica %s', async (_what, spoil) => {
  await replica.query(`INSERT INTO process (id, host, pid, roles, version) VALUES ('prc_test', '', 1, '{}', '') ON CONFLICT DO NOTHING`)
  await setBehind(-3_600)
  await connect(copyUrl.href)
  expect(await issued()).toBe(5)
  await spoil()
  services().replica = Object.assign(services().replica as object, { nextCheckAt: 0 }) as never
  expect(await issued()).toBe(7)
})

it('reads from the primary while the replica cannot be reached', async () => {
  await connect(`postgres://reader@127.0.0.1:${await freePort()}/none`)
  expect(await issued()).toBe(7)
  expect(await readLagging(async ({ on }) => on === services().pool)).toBe(true)
})
