import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logLines } from '../../testing/logs.ts'
import { atFileEnd } from '../../testing/media/file-end.ts'
import { migrate, missingMigrations } from './migrate.ts'
import { migrationNames } from './migration-names.ts'
import { applyRoutines } from './routines.ts'

const prisma = join(import.meta.dirname, '../../../prisma')
const files = readdirSync(join(prisma, 'routines')).map((file) => file.replace('.sql', ''))
const server = process.env.REELGATE_TEST_SERVER as string

let name: string
let url: string
let client: pg.Client
beforeEach(async () => {
  name = `reelgate_test_${process.pid}_${randomBytes(6).toString('hex')}`
  await asAdmin(`CREATE DATABASE ${name}`)
  url = new URL(`/${name}`, server).href
  client = new pg.Client({ connectionString: url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await asAdmin(`DROP DATABASE ${name} WITH (FORCE)`)
})

async function asAdmin(sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(sql).finally(() => admin.end())
}

const rows = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows
const column = async (sql: string) => (await rows(sql)).map(([one]) => one as string)

/** Functions, triggers and views, as their definitions. */
const definitions = () =>
  rows(`
    SELECT p.proname, pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT relname, pg_get_viewdef(oid) FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace
    ORDER BY 1, 2`)

describe('the schema at start', () => {
  it('comes whole into an empty database, and a second start applies nothing', async () => {
    const applied = await migrate(url)
    expect(applied.migrations).toEqual(migrationNames())
    expect(applied.routines.sort()).toEqual(files.sort())
    const functions = await definitions()
    for (const file of files) expect(functions.filter(([one]) => one === file)).toHaveLength(1)
    expect(await column('SELECT name FROM routine_checksum ORDER BY name')).toEqual([...files].sort())

    expect(await migrate(url)).toEqual({ migrations: [], routines: [] })
    expect(await definitions()).toEqual(functions)
  })

  it('applies a routine again when its file is another, alone, and leaves nothing of what was there before', async () => {
    await migrate(url)
    const whole = await definitions()
    for (const file of files) {
      await client.query(`UPDATE routine_checksum SET checksum = 'of another text' WHERE name = $1`, [file])
      expect(await applyRoutines(client)).toContain(file)
    }
    expect(await definitions()).toEqual(whole)
    await client.query(`
      CREATE FUNCTION credits_text(micro bigint, digits int) RETURNS text LANGUAGE sql AS 'SELECT micro::text';
      CREATE OR REPLACE FUNCTION credits_text(micro bigint) RETURNS text LANGUAGE sql AS 'SELECT micro::text';
      CREATE TRIGGER one_more AFTER DELETE ON account FOR EACH ROW EXECUTE FUNCTION notify_video();
      UPDATE routine_checksum SET checksum = '' WHERE name IN ('credits_text', 'notify_video')`)
    expect((await migrate(url)).routines).toEqual([
      'credits_text',
      'notify_video',
      'caption_text',
      'segment_list',
      'transcode_order',
      'webhook_delivery_state',
    ])
    expect(await definitions()).toEqual(whole)
  })

  it('drops a routine whose file is gone, with its triggers', async () => {
    await migrate(url)
    const whole = await definitions()
    await client.query(`
      CREATE FUNCTION of_before() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER account_of_before AFTER DELETE ON account FOR EACH ROW EXECUTE FUNCTION of_before();
      CREATE VIEW view_of_before AS SELECT id FROM account;
      CREATE FUNCTION of_an_operator() RETURNS int LANGUAGE sql AS 'SELECT 1';
      INSERT INTO routine_checksum VALUES ('of_before', ''), ('view_of_before', '')`)
    await migrate(url)
    const names = (await definitions()).map(([one]) => one)
    expect(names.filter((one) => one.includes('of_before'))).toEqual([])
    expect(names).toContain('of_an_operator')
    expect(await column('SELECT name FROM routine_checksum')).toHaveLength(files.length)
    await client.query('DROP FUNCTION of_an_operator')
    expect(await definitions()).toEqual(whole)
  })

  it('applies all routines or none', async () => {
    await migrate(url)
    await client.query(`
      CREATE VIEW of_an_operator AS SELECT credits_text(1);
      UPDATE routine_checksum SET checksum = '' WHERE name IN ('audit_hash', 'credits_text')`)
    await expect(migrate(url)).rejects.toThrow(/^Routines failed and were rolled back: .*credits_text/)
    expect(await column(`SELECT name FROM routine_checksum WHERE checksum = ''`)).toEqual(['audit_hash', 'credits_text'])
  })

  it.each([
    ['20261121000000_init', /^This database was created by an unreleased version of Reelgate and cannot be upgraded\. Start with an empty/],
    ['20991231000000_of_another_version', /^This database was created by another version of Reelgate, which includes the migration 2099/],
  ])('refuses a database that has %s, and leaves it as it is', async (migration, sentence) => {
    await client.query(`
      CREATE TABLE _prisma_migrations (migration_name text, rolled_back_at timestamptz);
      CREATE TABLE account (id text);
      INSERT INTO _prisma_migrations VALUES ('${migration}')`)
    const everything =
      'SELECT oid, relname FROM pg_class UNION ALL SELECT oid, proname FROM pg_proc UNION ALL SELECT oid, nspname FROM pg_namespace'
    const before = await rows(everything)
    await expect(migrate(url)).rejects.toThrow(sentence)
    expect(await rows(everything)).toEqual(before)
    expect(await column('SELECT migration_name FROM _prisma_migrations')).toEqual([migration])
  })
})

/** Returns a folder with this build's migrations and those given, by name; it is removed with the test file. */
function folderWith(later: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-migrations-'))
  atFileEnd(() => rmSync(folder, { recursive: true }))
  cpSync(join(prisma, 'migrations'), folder, { recursive: true })
  for (const [name, sql] of Object.entries(later)) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'migration.sql'), sql)
  }
  return folder
}

/** Returns since when each statement of a migration waits for a lock. Not on `client`, whose transaction would keep the first answer. */
async function waiting(): Promise<string[]> {
  const observer = new pg.Client({ connectionString: url })
  await observer.connect()
  const { rows } = await observer.query<{ since: string }>(`SELECT query_start::text AS since FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'reelgate migration' AND wait_event_type = 'Lock'`)
  await observer.end()
  return rows.map(({ since }) => since)
}

/** Polls take long on a busy machine. */
const PATIENCE = { interval: 20 }

/** Returns how many processes were refused the lock of migrations and keep no transaction open until they ask again. */
async function pausing(): Promise<number> {
  const { rows } = await client.query(`SELECT FROM pg_stat_activity WHERE datname = current_database()
    AND application_name = 'reelgate migration' AND query = 'ROLLBACK' AND state = 'idle'`)
  return rows.length
}

describe('while other processes run', () => {
  it('two that start at once bring the schema up to date once, indexes without a block for writers included', async () => {
    const index = '20991231000000_index'
    const folder = folderWith({ [index]: 'CREATE INDEX CONCURRENTLY account_name_idx ON account (name);' })
    const applied = await Promise.all([migrate(url, { folder }), migrate(url, { folder })])
    expect(applied.flatMap(({ migrations }) => migrations)).toEqual([...migrationNames(), index])
  })

  it('waits outside a transaction for another process that migrates, says so, and stops waiting when its process stops', async () => {
    const lines = logLines()
    await client.query('SELECT pg_advisory_lock(72707369)')
    const leaving = new AbortController()
    const refused = expect(migrate(url, { signal: leaving.signal })).rejects.toThrow('stopped during start-up')
    const patient = migrate(url)
    await expect.poll(pausing, PATIENCE).toBe(2)
    await expect
      .poll(() => lines.map(({ msg }) => msg), PATIENCE)
      .toContain('another process updates the schema of the database; waiting for it')
    leaving.abort(new Error('stopped during start-up'))
    await refused
    await client.query('SELECT pg_advisory_unlock(72707369)')
    expect((await patient).migrations).toEqual(migrationNames())
  })

  it('gives a table in use back to the requests that queue for it, and tries again', { tags: ['deep'] }, async () => {
    await migrate(url)
    const folder = folderWith({ '20991231000000_add': 'ALTER TABLE account ADD COLUMN later INT;' })
    await client.query('BEGIN; SELECT id FROM account')
    const applied = migrate(url, { folder })
    const attempts = new Set<string>()
    const seen = async () => {
      for (const since of await waiting()) attempts.add(since)
      return attempts.size
    }
    await expect.poll(seen, PATIENCE).toBeGreaterThan(1)
    await client.query('COMMIT')
    expect((await applied).migrations).toEqual(['20991231000000_add'])
  })

  it('makes an index without blocking writers, also over what a killed attempt left', async () => {
    await migrate(url)
    await client.query(`INSERT INTO account (id, name) VALUES ('acc_1', 'same'), ('acc_2', 'same')`)
    await client.query('CREATE UNIQUE INDEX CONCURRENTLY account_name_idx ON account (name)').catch(() => {})
    const index = `SELECT i.indisvalid::text || i.indisunique::text FROM pg_index i WHERE i.indexrelid = to_regclass('account_name_idx')`
    expect(await column(index)).toEqual(['falsetrue'])
    const sql = '-- For the search.\nCREATE INDEX CONCURRENTLY account_name_idx ON account (name);\n'
    const folder = folderWith({ '20991231000000_index': sql })
    await migrate(url, { folder })
    expect(await column(index)).toEqual(['truefalse'])
    expect(await migrate(url, { folder })).toEqual({ migrations: [], routines: [] })
  })

  it('accepts a schema that a later build only added to, and applies nothing over its routines', { tags: ['deep'] }, async () => {
    await migrate(url)
    const folder = folderWith({ '20991231000000_add': 'ALTER TABLE account ADD COLUMN later INT;' })
    await migrate(url, { folder })
    await client.query(`UPDATE routine_checksum SET checksum = 'of a later version', version = '99.0.0'`)
    expect(await migrate(url)).toEqual({ migrations: [], routines: [] })
    expect(await missingMigrations(url)).toEqual([])
    const remove = { '20991231000001_remove_needs_20991231000000': 'ALTER TABLE account DROP COLUMN later' }
    await migrate(url, { folder: folderWith({ '20991231000000_add': '', ...remove }) })
    expect(await migrate(url, { folder })).toEqual({ migrations: [], routines: [] })
    await expect(migrate(url)).rejects.toThrow('which includes the migration 20991231000000_add')
    await expect(missingMigrations(url)).rejects.toThrow('which includes the migration 20991231000000_add')
  })
})

it('keeps functions, triggers and views out of the migrations, and one routine to a file', () => {
  for (const migration of migrationNames()) {
    const sql = readFileSync(join(prisma, 'migrations', migration, 'migration.sql'), 'utf8')
    expect(sql).not.toMatch(/CREATE\s+(OR\s+REPLACE\s+)?(CONSTRAINT\s+)?(FUNCTION|PROCEDURE|TRIGGER|VIEW)\b/i)
  }
  for (const file of files) {
    const sql = readFileSync(join(prisma, 'routines', `${file}.sql`), 'utf8')
    expect([...sql.matchAll(/^CREATE OR REPLACE (?:FUNCTION|VIEW) (\w+)/gm)].map(([, made]) => made)).toEqual([file])
    for (const [, called] of sql.matchAll(/EXECUTE FUNCTION (\w+)/g)) expect(called).toBe(file)
  }
})
