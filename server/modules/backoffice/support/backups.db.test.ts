import { expect, test } from 'vitest'
import { query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { provide } from '../../../testing/settings.ts'
import { readBackups } from './backups.ts'

await testDatabase()

test('a backup is overdue once the schedule had two days to make one, not on a fresh installation', async () => {
  const overdue = async () => (await readBackups()).overdue
  const installed = (age: string) => query('', 'UPDATE installation SET claimed_at = now() - $1::interval', [age])
  await installed('1 minute')
  expect(await overdue()).toBe(false)
  provide({ BACKUP_URL: 'file:///var/backups' })
  expect(await overdue()).toBe(false)
  await installed('3 days')
  expect(await overdue()).toBe(true)
  provide({ BACKUP_URL: '' })
  expect(await overdue()).toBe(false)
})
