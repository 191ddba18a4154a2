import { setDatabaseClock } from '../platform/database/clock.ts'
import { query } from '../platform/database/database.ts'

/**
 * Stops the database's clock at `at` for every process on the test file's database, until it is set again; undefined lets it run. This
 * process follows at once, the others with their listener's next heartbeat. Call after `testDatabase()`.
 */
export async function stopClock(at: Date | string | undefined): Promise<(at: Date | string | undefined) => Promise<void>> {
  const stand = (value: string) => `SELECT date_trunc(''milliseconds'', COALESCE((SELECT at FROM test_clock), ${value}))`
  for (const sql of [
    'CREATE TABLE test_clock (at timestamptz)',
    'INSERT INTO test_clock VALUES (NULL)',
    `CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE sql STABLE AS '${stand('now()')}'`,
    `CREATE OR REPLACE FUNCTION service_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS '${stand('clock_timestamp()')}'`,
  ]) {
    await query('', sql, [])
  }
  const put = async (to: Date | string | undefined) => {
    await query('put-clock', 'UPDATE test_clock SET at = $1', [to ?? null])
    const askedAt = Date.now()
    const [row] = await query<{ ms: number }>('read-clock', 'SELECT extract(epoch FROM service_clock())::float8 * 1000 AS ms', [])
    setDatabaseClock(row?.ms ?? askedAt, askedAt)
  }
  await put(at)
  return put
}
