import { expect } from 'vitest'
import { pool } from '../platform/database/database.ts'

/** Lists lock waits in this test's database: other tests' databases are on the same server. */
const WAITS = 'SELECT FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())'

/** Resolves once `count` sessions wait for a lock. */
export const waitForLocks = (count: number) =>
  expect.poll(async () => (await pool().query(WAITS)).rowCount, { interval: 5 }).toBeGreaterThanOrEqual(count)
