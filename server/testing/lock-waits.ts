import { expect } from 'vitest'
import { pool } from '../platform/database.ts'

/** What waits for a lock in this test's database: other tests' are on the same server. */
const WAITS = 'SELECT FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())'

/** Resolves once so many wait for a lock. */
export const waitForLocks = (count: number) =>
  expect.poll(async () => (await pool().query(WAITS)).rowCount, { interval: 5 }).toBeGreaterThanOrEqual(count)
