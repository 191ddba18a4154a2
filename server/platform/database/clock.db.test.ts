import { expect, test } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import { query } from './database.ts'

await testDatabase()

// The columns of times have three digits of a second and round.
const WHOLE =
  'SELECT service_now() = service_now()::timestamptz(3) AS now, clock = clock::timestamptz(3) AS clock FROM service_clock() AS clock'

test('service_now() and service_clock() are in whole milliseconds, so that no stored time is later than the clock', async () => {
  for (let at = 0; at < 20; at++) expect(await query('', WHOLE, [])).toEqual([{ now: true, clock: true }])
})
