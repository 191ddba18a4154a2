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

/** The migrations of texts, and all others, with whose tables today's routines work. */
const LATER = migrationNames().filter((name) => /_(?:nfc_texts|fold_names|order_titles|drop_indexes_of_bytes)$/.test(name))
const EARLIER = migrationNames().filter((name) => !LATER.includes(name))
const NFD = 'Scho\u0308ne'
const VIDEO = `INSERT INTO video (id, account_id, title, status, target_quality, source_key, source_bytes, source_name, metadata, external_id, created_at) VALUES`

/** Brings a database to the schema that had ASCII alone, with triggers, and rows of two accounts. */
async function oldDatabase(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-migrations-'))
  for (const one of EARLIER) cpSync(join(migrationsFolder(), one), join(folder, one), { recursive: true })
  await migrate(url, { folder }).finally(() => rmSync(folder, { recursive: true }))
  await client.query(`INSERT INTO account (id, name) VALUES ('acc_1', '${NFD}'), ('acc_2', 'Other')`)
  await client.query(`INSERT INTO collection (id, account_id, name, created_at) VALUES
    ('col_1', 'acc_1', 'Übungen', '2026-01-01'), ('col_2', 'acc_1', 'übungen', '2026-01-02'), ('col_3', 'acc_1', 'Übungen (2)', '2026-01-03'),
    ('col_4', 'acc_1', '${'Ü'.repeat(100)}', '2026-01-04'), ('col_5', 'acc_1', '${'ü'.repeat(100)}', '2026-01-05'),
    ('col_6', 'acc_1', '${NFD}', '2026-01-06'), ('col_7', 'acc_1', 'SCHÖNE', '2026-01-07'), ('col_8', 'acc_2', 'ÜBUNGEN', '2026-01-08')`)
  await client.query(`INSERT INTO saved_filter (id, account_id, name, query, created_at) VALUES
    ('flt_1', 'acc_1', 'Über', '', '2026-01-02'), ('flt_2', 'acc_1', 'über', '', '2026-01-01')`)
  await client.query(`${VIDEO}
    ('vid_1', 'acc_1', '${NFD}', 'COMPLETED', '720p', 'k', 1, '${NFD}.mp4', '{"${NFD}": "${NFD}", "a": "b"}', '${NFD}', '2026-01-01'),
    ('vid_2', 'acc_1', 'Plain', 'COMPLETED', '720p', 'k', 1, 'a.mp4', '{}', 'Schöne', '2026-01-02'),
    ('vid_3', 'acc_2', '${NFD}', 'COMPLETED', '720p', 'k', 1, 'a.mp4', '{}', '${NFD}', '2026-01-02')`)
}

test('rows of before come to NFC, and of names that are the same now the younger ones are numbered', async () => {
  await oldDatabase()
  expect((await migrate(url)).migrations).toEqual(LATER)
  expect(await column('SELECT name FROM collection ORDER BY id')).toEqual([
    'Übungen',
    'übungen (3)',
    'Übungen (2)',
    'Ü'.repeat(100),
    `${'ü'.repeat(90)} (2)`,
    'Schöne',
    'SCHÖNE (2)',
    'ÜBUNGEN',
  ])
  expect(await column('SELECT name FROM saved_filter ORDER BY id')).toEqual(['Über (2)', 'über'])
  expect(await column('SELECT name FROM account ORDER BY id')).toEqual(['Schöne', 'Other'])
  expect(await column('SELECT title FROM video ORDER BY id')).toEqual(['Schöne', 'Plain', 'Schöne'])
  expect(await column('SELECT source_name FROM video ORDER BY id')).toEqual(['Schöne.mp4', 'a.mp4', 'a.mp4'])
  expect(await column('SELECT metadata FROM video ORDER BY id')).toEqual([{ Schöne: 'Schöne', a: 'b' }, {}, {}])
  expect(await column(`SELECT true FROM video_metadata WHERE pair = metadata_pair('Schöne', 'Schöne')`)).toEqual([true])
  // Another video has the first one's in NFC.
  expect(await column('SELECT external_id FROM video ORDER BY id')).toEqual([NFD, 'Schöne', 'Schöne'])
})

test('metadata in which a mark follows a line break keeps it', async () => {
  await oldDatabase()
  const metadata = { 'a\n\u0303': 'b\t\u0327\n\u0303', c: `\u000b\u0307 ${NFD}` }
  await client.query(`UPDATE video SET metadata = $1, chapters = $2 WHERE id = 'vid_2'`, [
    JSON.stringify(metadata),
    JSON.stringify([{ title: NFD, startSec: 0.5 }]),
  ])
  await migrate(url)
  expect(await column(`SELECT metadata FROM video WHERE id = 'vid_2'`)).toEqual([{ ...metadata, c: '\u000b\u0307 Schöne' }])
  expect(await column(`SELECT chapters FROM video WHERE id = 'vid_2'`)).toEqual([[{ title: 'Schöne', startSec: 0.5 }]])
})

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

test('an upgrade of ICU builds the indexes again', async () => {
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

test('searches of titles and their order use an index', async () => {
  await migrate(url)
  await client.query(`INSERT INTO account (id, name) VALUES ('acc_1', 'Many')`)
  await client.query(`INSERT INTO video (id, account_id, title, status, target_quality, source_key, source_bytes, source_name)
    SELECT 'vid_' || n, 'acc_1', 'Lesson ' || md5(n::text), 'FAILED', '720p', 'k', 1, 'a.mp4' FROM generate_series(1, 5000) AS n`)
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
