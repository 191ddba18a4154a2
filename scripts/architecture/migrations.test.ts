import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrationNames } from '../../server/platform/database/migration-names.ts'
import { migrationFaults } from './migration-rules.ts'

const text = (name: string) => readFileSync(join(import.meta.dirname, '../../prisma/migrations', name, 'migration.sql'), 'utf8')

test('every migration after the first leaves what the previous version uses', () => {
  expect(
    migrationNames()
      .slice(1)
      .flatMap((name) => migrationFaults(name, text(name)).map((fault) => `${name}: ${fault}`)),
  ).toEqual([])
})

test.each([
  'ALTER TABLE video DROP COLUMN title',
  'DROP TABLE upload',
  'ALTER TABLE video RENAME COLUMN title TO name',
  'ALTER TABLE video ALTER COLUMN bytes TYPE BIGINT',
  'ALTER TABLE video ALTER COLUMN title SET NOT NULL',
  'ALTER TABLE video ADD COLUMN place TEXT NOT NULL',
  'ALTER TABLE video ADD CONSTRAINT video_check CHECK (bytes > 0)',
  'CREATE INDEX video_title_idx ON video (title)',
  'LOCK TABLE collection, share_link IN SHARE MODE;\nCREATE INDEX video_title_idx ON video (title)',
])('refuses: %s', (statement) => {
  expect(migrationFaults('20270101000000_next', `-- A comment; with DROP TABLE.\n${statement};`)).toHaveLength(1)
})

test.each([
  'ALTER TABLE video ADD COLUMN place TEXT',
  "ALTER TABLE video ADD COLUMN place TEXT NOT NULL DEFAULT ''",
  'ALTER TABLE video ADD CONSTRAINT video_check CHECK (bytes > 0) NOT VALID',
  'CREATE INDEX CONCURRENTLY video_title_idx ON video (title)',
  'LOCK TABLE collection, share_link IN SHARE MODE;\nCREATE UNIQUE INDEX collection_name_idx ON collection (name)',
  'CREATE TABLE place (id TEXT NOT NULL);\nCREATE INDEX place_id_idx ON place (id);\nALTER TABLE place ADD CONSTRAINT c CHECK (true)',
])('accepts: %s', (statement) => {
  expect(migrationFaults('20270101000000_next', `${statement};`)).toEqual([])
})

test('accepts that a migration removes something whose name says which one builds must know', () => {
  const sql = 'ALTER TABLE video DROP COLUMN title;'
  expect(migrationFaults('20270201000000_drop_title_needs_20270101000000', sql)).toEqual([])
  expect(migrationFaults('20270201000000_drop_title', sql)).toHaveLength(1)
})
