import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db, query } from '../../../platform/database/database.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { type ReceiptFile, receiptFile } from '../../audit/receipts/sign.ts'
import { backupTimes } from '../../backups/records.ts'
import type { DrillFault } from '../../backups/state.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** A backup with its last test restore. Sizes in bytes. */
export interface ListedBackup {
  id: string
  startedAt: Date
  state: 'running' | 'failed' | 'made' | 'proven' | 'faulty'
  failure: string | null
  rows: number | null
  databaseBytes: number | null
  objects: number | null
  mediaBytes: number | null
  copiedBytes: number | null
  removed: boolean
  receiptId: string | null
  faults: DrillFault[]
  segments: number | null
  seconds: number | null
}

export interface BackupOverview {
  /** Newest first, at most 50. */
  backups: ListedBackup[]
  /** Whether BACKUP_URL is set. */
  scheduled: boolean
  lastProven: Date | null
  /** Whether the last verified backup is older than two days; without one, whether the schedule has run for two days. */
  overdue: boolean
}

const OVERDUE_MS = 2 * 86_400_000
/** Faults shown of one test restore. */
const SHOWN = 10

/** Returns the backups of the installation. Errors: as `requireCurrentStaff`. */
export async function backupOverview(staff: StaffCtx): Promise<BackupOverview> {
  await requireCurrentStaff(db(), staff)
  return readBackups()
}

/** Returns the backups of the installation. Does not check the caller. */
export async function readBackups(): Promise<BackupOverview> {
  const rows = await query<ListedBackup & { [column: string]: unknown }>('support-backups', BACKUPS, [SHOWN])
  const { lastProven } = await backupTimes()
  const scheduled = env().BACKUP_URL !== undefined
  const [installed] = await query<{ at: Date | null }>('installed-at', 'SELECT claimed_at AS at FROM installation', [])
  const since = lastProven ?? (scheduled ? (installed?.at ?? null) : null)
  const overdue = since !== null && since.getTime() < serviceNow() - OVERDUE_MS
  return { backups: rows, scheduled, lastProven, overdue }
}

const BACKUPS = `
  SELECT b.id, b.started_at AS "startedAt", b.failure, b.rows::float8, b.database_bytes::float8 AS "databaseBytes", b.objects::float8,
    b.media_bytes::float8 AS "mediaBytes", b.copied_bytes::float8 AS "copiedBytes", b.removed_at IS NOT NULL AS removed, d.id AS "receiptId",
    coalesce((SELECT jsonb_agg(f.fault) FROM jsonb_array_elements(d.faults) WITH ORDINALITY AS f(fault, at) WHERE f.at <= $1), '[]') AS faults,
    (d.figures ->> 'segments')::float8 AS segments, (d.figures ->> 'seconds')::float8 AS seconds,
    CASE WHEN b.failed_at IS NOT NULL THEN 'failed' WHEN b.finished_at IS NULL THEN 'running' WHEN d.id IS NULL THEN 'made'
      WHEN d.passed THEN 'proven' ELSE 'faulty' END AS state
  FROM backup b LEFT JOIN LATERAL (SELECT * FROM backup_drill WHERE backup_id = b.id ORDER BY at DESC, id LIMIT 1) d ON true
  ORDER BY b.started_at DESC, b.id LIMIT 50`

/** Returns the signed receipt of a test restore as a file; it concerns the installation, not an account. Errors: NOT_FOUND. */
export async function backupReceipt(staff: StaffCtx, { receiptId }: { receiptId: string }): Promise<ReceiptFile> {
  await requireCurrentStaff(db(), staff)
  const [row] = await query<{ jws: string }>('backup-receipt', 'SELECT jws FROM backup_drill WHERE id = $1', [receiptId])
  if (!row) throw new ServiceError('NOT_FOUND', { message: 'No such receipt exists.' })
  return receiptFile(SERVICE, row.jws)
}
