import { query } from '../../platform/database/database.ts'
import type { MediaCounts } from './copy-media.ts'
import type { DrillFault, DrillFigures } from './state.ts'

/** Records that a backup starts. Call it under the backup lock: others that seem to run were interrupted, and it marks them so. */
export async function recordStart(id: string, place: string): Promise<void> {
  await query('backup-interrupted', INTERRUPTED, [])
  await query('backup-start', 'INSERT INTO backup (id, place) VALUES ($1, $2)', [id, place])
}

const INTERRUPTED = `
  UPDATE backup SET failed_at = service_clock(), failure = 'The process that made it ended.' WHERE finished_at IS NULL AND failed_at IS NULL`

/** Figures of a complete backup. */
export interface Finished extends Pick<MediaCounts, 'objects' | 'bytes'> {
  snapshotAt: string
  rows: number
  databaseBytes: number
  copiedBytes: number
}

export async function recordFinish(id: string, { snapshotAt, rows, databaseBytes, objects, bytes, copiedBytes }: Finished): Promise<void> {
  await query(
    'backup-finish',
    `UPDATE backup SET finished_at = service_clock(), snapshot_at = $2, rows = $3, database_bytes = $4, objects = $5, media_bytes = $6,
       copied_bytes = $7 WHERE id = $1`,
    [id, snapshotAt, rows, databaseBytes, objects, bytes, copiedBytes],
  )
}

/** `reason`: in words for the operator. A complete backup stays one, whatever fails afterwards. */
export async function recordFailure(id: string, reason: string): Promise<void> {
  const failed = 'UPDATE backup SET failed_at = service_clock(), failure = $2 WHERE id = $1 AND finished_at IS NULL'
  await query('backup-fail', failed, [id, reason.slice(0, 1_000)])
}

/** Records which complete backups a place has left: all others are gone, also those whose removal was interrupted. */
export async function recordRemaining(place: string, ids: readonly string[]): Promise<void> {
  await query('backup-removed', REMOVED, [place, ids])
}

const REMOVED = `
  UPDATE backup SET removed_at = service_clock()
  WHERE place = $1 AND id <> ALL ($2) AND finished_at IS NOT NULL AND removed_at IS NULL`

interface DrillRecord {
  /** Of the receipt. */
  id: string
  backupId: string
  snapshotAt: string | null
  passed: boolean
  faults: readonly DrillFault[]
  figures: DrillFigures
  jws: string
}

export async function recordDrill({ id, backupId, snapshotAt, passed, faults, figures, jws }: DrillRecord): Promise<void> {
  await query(
    'backup-drill',
    'INSERT INTO backup_drill (id, backup_id, snapshot_at, passed, faults, figures, jws) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [id, backupId, snapshotAt, passed, JSON.stringify(faults), JSON.stringify(figures), jws],
  )
}

/** Returns whether this installation had a complete backup in a place before. */
export const hasBackupsAt = async (place: string): Promise<boolean> =>
  (await query('backup-at', 'SELECT 1 FROM backup WHERE place = $1 AND finished_at IS NOT NULL LIMIT 1', [place])).length > 0

/** Returns the IDs of the backups whose last drill passed. */
export const provenBackups = async (): Promise<Set<string>> =>
  new Set((await query<{ id: string }>('backups-proven', PROVEN, [])).map(({ id }) => id))

const LAST_DRILLS = 'SELECT DISTINCT ON (backup_id) backup_id, passed, snapshot_at FROM backup_drill ORDER BY backup_id, at DESC, id'
const PROVEN = `SELECT backup_id AS id FROM (${LAST_DRILLS}) d WHERE passed`

/** Times of the last backups, for alerts. */
export interface BackupTimes {
  /** When the database of the newest complete backup was read. */
  lastSuccess: Date | null
  /** The same for the newest one whose last drill passed. */
  lastProven: Date | null
}

export async function backupTimes(): Promise<BackupTimes> {
  const [row] = await query<BackupTimes & { [column: string]: unknown }>(
    'backup-times',
    `SELECT (SELECT max(snapshot_at) FROM backup WHERE finished_at IS NOT NULL) AS "lastSuccess",
       (SELECT max(snapshot_at) FROM (${LAST_DRILLS}) d WHERE passed) AS "lastProven"`,
    [],
  )
  return { lastSuccess: row?.lastSuccess ?? null, lastProven: row?.lastProven ?? null }
}
