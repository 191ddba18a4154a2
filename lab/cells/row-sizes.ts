import type { Cell } from './cell.ts'

const ROWS = 20_000

/** Returns the bytes of a row in the tables that grow with keys and videos, indexes included, measured with many rows. */
export async function bytesPerRow({ database }: Cell): Promise<{ what: string; bytes: number; reach: number }[]> {
  await database.query(
    `INSERT INTO api_key (id, account_id, name, environment, prefix, hash, scopes)
     SELECT 'key_filler' || n, (SELECT id FROM account LIMIT 1), 'Filler', 'LIVE', 'ak_live_fill', sha256(('filler' || n)::bytea), '{video:read}'
     FROM generate_series(1, $1) n`,
    [ROWS],
  )
  await database.query(
    `INSERT INTO video (id, account_id, title, description, status, duration_sec, target_quality, qualities, completed_at)
     SELECT 'vid_filler' || n, account_id, title, description, status, duration_sec, target_quality, qualities, completed_at
     FROM (SELECT * FROM video LIMIT 1) AS one, generate_series(1, $1) n`,
    [ROWS],
  )
  const size = async (table: string) =>
    (
      await database.query<{ bytes: number }>(
        `SELECT pg_total_relation_size($1::regclass)::float8 / (SELECT count(*) FROM ${table}) AS bytes`,
        [table],
      )
    ).rows[0]?.bytes ?? Number.NaN
  return [
    { what: 'bytes of a key', bytes: await size('api_key'), reach: 2_000 },
    { what: 'bytes of a video without its renditions', bytes: await size('video'), reach: 3_000 },
  ]
}
