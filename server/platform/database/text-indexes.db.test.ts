import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from './migrate.ts'
import { migrationNames, migrationsFolder } from './migration-names.ts'
import { alphabetical, folded, matches } from './text-sql.ts'

const server = process.env.REELGATE_TEST_SERVER as string
let name: string
let url: string
let client: pg.Client
beforeEach(async () => {
  name = `reelgate_test_${process.pid}_${randomBytes(6).toString('hex')}`
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE 'C' ENCODING 'UTF8'`)
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

const column = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows.map(([one]) => one as unknown)

test('letters have their case where PostgreSQL has no ICU', async () => {
  const [{ version } = { version: 0 }] = (
    await client.query<{ version: number }>(`SELECT current_setting('server_version_num')::int AS version`)
  ).rows
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-migrations-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  cpSync(migrationsFolder(), folder, { recursive: true })
  for (const migration of migrationNames()) {
    const file = join(folder, migration, 'migration.sql')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('provider = icu', 'provider = none'))
  }
  await migrate(url, { folder })
  const expected = version >= 170_000 ? ['b'] : expect.not.arrayContaining(['i'])
  expect(await column(`SELECT collprovider FROM pg_collation WHERE collname = 'reelgate'`)).toEqual(expected)
  expect(await column(`SELECT ${folded(`'Übung Привет'`)}`)).toEqual(['ÜBUNG ПРИВЕТ'])
})

test('an upgrade of ICU builds the indexes again', { tags: ['deep'] }, async () => {
  await migrate(url)
  await client.query(`UPDATE pg_collation SET collversion = '1' WHERE collname = 'reelgate'`)
  const files = `SELECT relname || ' ' || relfilenode FROM pg_class WHERE relname ~ '_(title_order|title_part)_idx$|_folded_name_key$' ORDER BY 1`
  const before = await column(files)
  expect(before).toHaveLength(4)
  await migrate(url)
  const after = await column(files)
  expect(after.filter((one) => before.includes(one))).toEqual([])
  expect(await column(`SELECT collversion = pg_collation_actual_version(oid) FROM pg_collation WHERE collname = 'reelgate'`)).toEqual([
    true,
  ])
  await migrate(url)
  expect(await column(files)).toEqual(after)
})

test('searches of titles and their order use an index', { tags: ['deep'] }, async () => {
  await migrate(url)
  await client.query(`INSERT INTO account (id, name) VALUES ('acc_1', 'Many')`)
  await client.query(`INSERT INTO video (id, account_id, title, status, target_quality)
    SELECT 'vid_' || n, 'acc_1', 'Lesson ' || md5(n::text), 'FAILED', '720p' FROM generate_series(1, 5000) AS n`)
  await client.query('ANALYZE video')
  const plan = async (rest: string) => (await column(`EXPLAIN SELECT id FROM video WHERE account_id = 'acc_1' ${rest}`)).join('\n')
  expect(await plan(`AND ${matches('title', `'%abcde%'`)}`)).toContain('video_account_id_title_part_idx')
  expect(await plan(`ORDER BY ${alphabetical('title')}, id LIMIT 50`)).toContain('Index Scan using video_account_id_title_order_idx')
})

test('a database that cannot hold every letter is refused in words', async () => {
  const latin = `${name}_latin`
  await asAdmin(`CREATE DATABASE ${latin} TEMPLATE template0 LOCALE 'C' ENCODING 'LATIN1'`)
  try {
    await expect(migrate(new URL(`/${latin}`, server).href)).rejects.toThrow(
      'The database has the encoding LATIN1. Create it with the encoding UTF8.',
    )
  } finally {
    await asAdmin(`DROP DATABASE ${latin} WITH (FORCE)`)
  }
})
