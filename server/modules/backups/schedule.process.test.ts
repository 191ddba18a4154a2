import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkSecrets } from '../../platform/config/secret-fingerprints.ts'
import { db, query } from '../../platform/database/database.ts'
import { claimStorage } from '../../platform/storage/claim-storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { expectLoggedErrors, logLines } from '../../testing/logs.ts'
import { startMailbox } from '../../testing/mailbox.ts'
import { makeAccount } from '../../testing/make.ts'
import { shortClip } from '../../testing/media/media-files.ts'
import { transcodedVideo } from '../../testing/media/transcoded.ts'
import { provide } from '../../testing/settings.ts'
import { publicKeys } from '../audit/receipts/signing-keys.ts'
import { backupTimes } from './records.ts'
import { isBackupDue, lastDue, runDueBackup } from './schedule.ts'

const { dataDir } = await testDatabase()
expectLoggedErrors(/^backup failed/, /the backup failed verification/)
const { mails } = await startMailbox()
provide({ OPERATOR_EMAIL: 'Operator@example.com' })
const folder = mkdtempSync(join(tmpdir(), 'reelgate-backups-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { signal } = new AbortController()

const SEGMENTS = 'SELECT count(DISTINCT s->>0)::int AS count FROM segment_list, jsonb_array_elements(segments::jsonb) AS s'

/** Number of segments, of which a drill plays as many as it samples, here all. */
async function storedSegments(): Promise<number> {
  const [row] = await query<{ count: number }>('', SEGMENTS, [])
  return row?.count ?? 0
}

beforeAll(async () => {
  await checkSecrets({ adopt: true })
  await claimStorage()
  await query('', `UPDATE installation SET claimed_at = now() - interval '3 days'`, [])
  await transcodedVideo(await makeAccount(), await shortClip(), { targetQuality: '360p' })
})

it('is due at the last of the given UTC times', () => {
  const at = (text: string) => Date.parse(`2026-11-${text}:00Z`)
  expect(lastDue(['03:10'], at('23T03:09'))).toBe(at('22T03:10'))
  expect(lastDue(['03:10'], at('23T03:10'))).toBe(at('23T03:10'))
  expect(lastDue(['15:00', '03:10'], at('23T14:59'))).toBe(at('23T03:10'))
  expect(lastDue(['15:00', '03:10'], at('23T16:00'))).toBe(at('23T15:00'))
})

it('logs and mails a backup that fails, and tries three times', async () => {
  provide({ BACKUP_URL: join(folder, 'not-mounted'), BACKUP_AT: '00:00' })
  const lines = logLines()
  for (let tries = 0; tries < 4; tries++) await runDueBackup(signal)
  expect(lines.filter(({ msg }) => msg === 'backup failed')).toHaveLength(3)
  const failures = await db().backup.findMany({ select: { failure: true, finishedAt: true } })
  expect(failures).toEqual(Array(3).fill({ failure: expect.stringContaining('does not exist'), finishedAt: null }))
  const mail = {
    to: ['operator@example.com'],
    subject: 'A backup failed (Reelgate)',
    text: expect.stringMatching(/failed:\s+The folder .* does not exist/),
  }
  expect(mails).toEqual([mail, mail, mail])
  await db().backup.deleteMany()
})

it('waits for the next time after the installation was set up', async () => {
  expect(await isBackupDue()).toBe(true)
  await query('', `UPDATE installation SET claimed_at = now()`, [])
  expect(await isBackupDue()).toBe(false)
  await query('', `UPDATE installation SET claimed_at = now() - interval '3 days'`, [])
})

it('makes the due backup, proves it in a process of its own, and signs the result', async () => {
  provide({ BACKUP_URL: folder, BACKUP_AT: '00:00' })
  await runDueBackup(signal)
  const [made] = await db().backup.findMany()
  const [drill] = await db().backupDrill.findMany()
  expect(made).toMatchObject({ failure: null, removedAt: null })
  expect(drill).toMatchObject({ backupId: made?.id, passed: true, faults: [], figures: { segments: await storedSegments(), videos: 1 } })
  const keys = createLocalJWKSet({ keys: (await publicKeys()).map((key) => ({ ...key })) })
  const { payload } = await jwtVerify(drill?.jws ?? '', keys)
  expect(payload).toMatchObject({ kind: 'backup.drill', sub: made?.id, jti: drill?.id, passed: true, faultCount: 0 })
  expect(readdirSync(join(folder, 'backups', made?.id ?? ''))).toContain(`${drill?.id}.json`)
  expect(await backupTimes()).toEqual({ lastSuccess: made?.snapshotAt, lastProven: made?.snapshotAt })
  // The throw-away database and its folder are gone.
  expect(readdirSync(join(dataDir, 'drill'))).toEqual([])

  expect(await isBackupDue()).toBe(false)
  await runDueBackup(signal)
  expect([await db().backup.count(), await db().backupDrill.count()]).toEqual([1, 1])
  expect(mails).toHaveLength(3)
})

it('mails a backup whose restore finds faults, and tries three times to prove it', async () => {
  const [made] = await db().backup.findMany()
  rmSync(join(folder, 'backups', made?.id ?? '', 'signature'))
  await db().backupDrill.deleteMany()
  await db().backup.updateMany({ data: { drills: 3 } })
  await runDueBackup(signal)
  expect(await db().backupDrill.count()).toBe(0)
  await db().backup.updateMany({ data: { drills: 2 } })
  await runDueBackup(signal)
  expect(await db().backupDrill.findMany()).toMatchObject([{ passed: false }])
  expect(mails.at(-1)).toMatchObject({ to: ['operator@example.com'], subject: 'A backup failed verification (Reelgate)' })
  expect(mails.at(-1)?.text).toContain(`backups/${made?.id}/signature is missing`)
})
