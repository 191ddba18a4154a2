import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { record } from '../../modules/audit/record.ts'
import { verifyAudit } from '../../modules/audit/verify-chain.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { makeRoles, OWNER_ROLE, rolePassword, SERVICE_ROLE } from '../postgres/roles.ts'
import { closeDb, db, query } from './database.ts'
import { migrate } from './migrate.ts'
import { notifications } from './notifications.ts'

const server = process.env.REELGATE_TEST_SERVER as string
const name = `reelgate_test_${process.pid}_${randomBytes(6).toString('hex')}`
const password = new URL(server).password
const address = (role?: string) => {
  const url = new URL(`/${name}`, server)
  if (role) Object.assign(url, { username: role, password: rolePassword(role, password) })
  return url.href
}
async function asSuperuser<Result>(work: (client: pg.Client) => Promise<Result>, url = server): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

let ctx: AccountCtx
beforeAll(async () => {
  await asSuperuser(async (client) => {
    await client.query('SELECT pg_advisory_lock(72707371)')
    await makeRoles(client, password)
    await client.query(`CREATE DATABASE ${name} OWNER ${OWNER_ROLE}`)
  })
  await migrate(address(OWNER_ROLE), { service: SERVICE_ROLE })
  provide({
    ...{ BASE_URL: 'http://localhost', DATABASE_URL: address(SERVICE_ROLE), LOG_LEVEL: 'error' },
    REELGATE_SECRET: 'a secret for tests, the same in each of their processes',
  })
  await notifications().start()
  ctx = await makeAccount()
  await makeKey(ctx)
})
afterAll(async () => {
  await notifications().stop()
  await closeDb()
  await asSuperuser((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
})

describe('the role of the service', () => {
  it('is no superuser and owns no table', async () => {
    expect(await query('who', `SELECT rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user`, [])).toEqual([
      { rolsuper: false, rolcreaterole: false, rolcreatedb: false },
    ])
    expect(await query('own', `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tableowner <> '${OWNER_ROLE}'`, [])).toEqual(
      [],
    )
  })

  it.each([
    ['DELETE FROM audit_entry'],
    ['TRUNCATE audit_entry'],
    ["UPDATE audit_entry SET actor = 'system'"],
    ["UPDATE audit_link SET hash = '\\x00'"],
    ['DELETE FROM audit_link'],
    ['UPDATE audit_chain SET entries = 0'],
    ['TRUNCATE audit_chain'],
    ["INSERT INTO audit_link SELECT account_id, 99, 99, '\\x00' FROM audit_chain"],
    ['DELETE FROM ledger_entry'],
    ['TRUNCATE ledger_entry'],
    ['ALTER TABLE audit_entry DISABLE TRIGGER ALL'],
    ['DROP TRIGGER audit_entry_kept ON audit_entry'],
    ["SET session_replication_role = 'replica'"],
    ['CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$'],
    ['CREATE TABLE public.mine (id int)'],
    ["COPY account TO PROGRAM 'cat'"],
  ])('may not: %s', async (statement) => {
    await expect(query('', statement, [])).rejects.toMatchObject({ code: '42501' })
  })

  it('may do what the service does: changes with their entries, and the deletion of an account with its log', async () => {
    const other = await makeAccount()
    await makeVideo(other)
    await db().$transaction((tx) => record(tx, other, { action: 'account.rename', subject: other.accountId }))
    expect(await verifyAudit()).toMatchObject({ accounts: 2, entries: 2, faults: [] })
    await db().account.delete({ where: { id: other.accountId } })
    expect(await verifyAudit()).toMatchObject({ accounts: 1, entries: 1, faults: [] })
  })

  it('may have partitions dropped and made, which belong to the owner of the tables', async () => {
    const names = () =>
      query<{ name: string; owner: string }>(
        'partitions',
        `SELECT c.relname AS name, c.relowner::regrole::text AS owner FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
         WHERE inhparent = 'traffic_day'::regclass ORDER BY 1`,
        [],
      )
    const before = await names()
    expect(before).toHaveLength(4)
    await query('drop', "SELECT drop_partitions('traffic_day', service_now() + interval '1 year')", [])
    expect(await names()).toEqual([{ name: 'traffic_day_default', owner: OWNER_ROLE }])
    await query('make', 'SELECT make_partitions()', [])
    expect(await names()).toEqual(before)
    const count = { accountId: ctx.accountId, keyId: '', operation: 'listVideos', status: 200, requests: 1, latency: [1] }
    await db().trafficDay.create({ data: { ...count, day: new Date() } })
    await expect(query('drop-other', "SELECT drop_partitions('audit_entry', service_now())", [])).resolves.toEqual([
      { drop_partitions: [] },
    ])
    expect(await db().auditEntry.count()).toBeGreaterThan(0)
  })
})

describe('the audit log', () => {
  it('refuses deletions by the owner of its tables as well', async () => {
    const owner = new pg.Client({ connectionString: address(OWNER_ROLE) })
    await owner.connect()
    for (const statement of [
      'DELETE FROM audit_entry',
      'TRUNCATE audit_entry',
      'UPDATE audit_entry SET actor = NULL',
      'DELETE FROM audit_link',
    ])
      await expect(owner.query(statement)).rejects.toThrow('append-only')
    await owner.end()
  })
})
