import { BackupRunningError, underBackupLock } from '../../platform/backup/backup-lock.ts'
import { type BackupPlace, placeText } from '../../platform/backup/backup-url.ts'
import { env } from '../../platform/config/config.ts'
import { query } from '../../platform/database/database.ts'
import { sendMail } from '../../platform/mail.ts'
import { log } from '../../platform/observe/log.ts'
import { DRILL_SEGMENTS, drillBackup, receiveProof } from './drill.ts'
import { makeBackup } from './make-backup.ts'
import { DRILL_CHECKS } from './state.ts'

/** How many attempts to make a backup for each time in BACKUP_AT, and to verify it. */
const ATTEMPTS = 3
const DAY_MS = 86_400_000

/** Returns the latest time at or before `now` that matches one of these UTC times (`HH:MM`), in milliseconds since 1970. */
export function lastDue(times: readonly string[], now: number): number {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const moments = times.flatMap((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    const at = today + (hours * 60 + minutes) * 60_000
    return [at, at - DAY_MS]
  })
  return Math.max(...moments.filter((at) => at <= now))
}

const CLOCK = 'SELECT extract(epoch FROM service_clock())::float8 * 1000 AS now'

const DUE = `
  SELECT 1 FROM installation WHERE claimed_at <= $1 AND NOT EXISTS (SELECT 1 FROM backup WHERE started_at >= $1 AND finished_at IS NOT NULL)
    AND (SELECT count(*) FROM backup WHERE started_at >= $1) < $2`

/**
 * Returns whether a backup is due: none was made since the last time in BACKUP_AT, and fewer than three attempts failed since. An
 * installation younger than that time waits for the next one.
 */
export async function isBackupDue(): Promise<boolean> {
  const [clock] = await query<{ now: number }>('backup-clock', CLOCK, [])
  const due = lastDue(env().BACKUP_AT, clock?.now ?? Date.now())
  return (await query('backup-due', DUE, [new Date(due), ATTEMPTS])).length > 0
}

/** Takes the newest backup in a place unless it has a drill, or as many were started as there are attempts. */
const UNPROVEN = `
  UPDATE backup SET drills = drills + 1 WHERE drills < $2 AND id = (
    SELECT b.id FROM backup b WHERE b.place = $1 AND b.finished_at IS NOT NULL AND b.removed_at IS NULL ORDER BY b.started_at DESC LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM backup_drill d WHERE d.backup_id = backup.id)
  RETURNING id`

/**
 * Makes a backup if one is due, and verifies the newest one if it is not yet verified. Runs every ten minutes as the job `backup.run`. Logs
 * failures as errors and emails them to operators; the schedule decides on the next attempt.
 */
export async function runDueBackup(signal: AbortSignal): Promise<void> {
  const { BACKUP_URL: place, BACKUP_MEDIA: mode, BACKUP_KEEP: keep } = env()
  if (!place) return
  try {
    if (await isBackupDue()) {
      const { id } = await makeBackup({ place, mode, keep, signal })
      log().info({ backup: id }, 'made a backup; verifying it by a full restore')
    }
    // A drill can take hours, and other workers run this job meanwhile. It goes on if the lock's connection is lost.
    await underBackupLock(signal, () => proveNewest(place, signal), 'drill')
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BackupRunningError) return
    log().error({ err: error }, 'backup failed')
    await mailOperators('A backup failed', `The scheduled backup failed:\n\n${(error as Error).message}`)
  }
}

async function proveNewest(place: BackupPlace, signal: AbortSignal): Promise<void> {
  const [unproven] = await query<{ id: string }>('backup-unproven', UNPROVEN, [placeText(place), ATTEMPTS])
  if (unproven) await prove(place, unproven.id, signal)
}

async function prove(place: BackupPlace, backupId: string, signal: AbortSignal): Promise<void> {
  const proof = await drillBackup({ place, backupId, segments: DRILL_SEGMENTS, signal })
  await receiveProof(place, proof)
  if (proof.passed) return log().info({ backup: backupId, ...proof.figures }, 'verified the backup by a full restore')
  const faults = proof.faults.map(({ check, problem }) => `${DRILL_CHECKS[check]}: ${problem}`)
  log().error({ backup: backupId, faults: faults.slice(0, 20) }, 'the backup failed verification: its restore found faults')
  await mailOperators(
    'A backup failed verification',
    `The backup ${backupId} failed verification. Its restore found these faults:\n\n${faults.join('\n')}`,
  )
}

/** Emails OPERATOR_EMAIL and support staff, if mail is configured. Logs a refused email and does not repeat it. */
async function mailOperators(subject: string, about: string): Promise<void> {
  const { OPERATOR_EMAIL, BASE_URL } = env()
  const staff = await query<{ email: string }>(
    'backup-staff',
    'SELECT u.email FROM staff_grant s JOIN app_user u ON u.id = s.user_id WHERE s.revoked_at IS NULL AND u.suspended_at IS NULL',
    [],
  )
  const recipients = new Set(staff.map(({ email }) => email))
  if (OPERATOR_EMAIL) recipients.add(OPERATOR_EMAIL.toLowerCase())
  const text = `${about}\n\nBackups: ${BASE_URL}/support/backups\n`
  await Promise.all([...recipients].map((to) => sendMail({ to, subject: `${subject} (Reelgate)`, text })))
}
