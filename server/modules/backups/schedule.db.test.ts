import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { underBackupLock } from '../../platform/backup/backup-lock.ts'
import { query } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { provide } from '../../testing/settings.ts'
import { runDueBackup } from './schedule.ts'

await testDatabase()

it('verifies a backup in one process at a time', async () => {
  const place = mkdtempSync(join(tmpdir(), 'reelgate-backups-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  provide({ BACKUP_URL: place })
  await query('', `INSERT INTO backup (id, place, finished_at) VALUES ('bkp_1', $1, now())`, [place])
  const { signal } = new AbortController()
  await underBackupLock(signal, () => runDueBackup(signal), 'drill')
  expect(await query('', 'SELECT drills FROM backup', [])).toEqual([{ drills: 0 }])
})
