import { DRILL_SEGMENTS, drillBackup, receiveProof } from '../../server/modules/backups/drill.ts'
import { makeBackup } from '../../server/modules/backups/make-backup.ts'
import type { Proof } from '../../server/modules/backups/prove.ts'
import { provenBackups } from '../../server/modules/backups/records.ts'
import { newestBackup, openBackup, restoreBackup } from '../../server/modules/backups/restore-backup.ts'
import { DRILL_CHECKS } from '../../server/modules/backups/state.ts'
import { openBackupStore } from '../../server/platform/backup/backup-place.ts'
import { type BackupPlace, parseBackupUrl, placeText } from '../../server/platform/backup/backup-url.ts'
import { listBackups, type Manifest, readManifest } from '../../server/platform/backup/manifest.ts'
import { env } from '../../server/platform/config/config.ts'
import { services } from '../../server/platform/container.ts'
import { ownerOf } from '../../server/platform/database/database-url.ts'
import { megabytes } from '../../server/platform/megabytes.ts'
import { startEmbeddedPostgres } from '../../server/platform/postgres/embedded.ts'
import { storage } from '../../server/platform/storage/storage.ts'
import type { Command, ParsedArgs } from './command.ts'

type Options = ParsedArgs['options']
type Print = (line: string) => void

/** Only their owner can read the files of backups and of restored media. */
const OWNER_ALONE = 0o077

/** Returns the place that an option names, or BACKUP_URL. */
function placeOf(given: Options[string]): BackupPlace {
  if (given !== undefined) return parseBackupUrl(String(given))
  const { BACKUP_URL } = env()
  if (!BACKUP_URL) throw new Error('Set BACKUP_URL, or say where the backups are: the absolute path of a folder, or s3://bucket/prefix?….')
  return BACKUP_URL
}

/** Aborts on Ctrl-C and SIGTERM, so that nothing is left running. */
function interruptible(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort(new Error('Interrupted.')))
  return controller.signal
}

function printManifest({ id, version, database, media }: Manifest, print: Print): void {
  const rows = database.tables.reduce((sum, table) => sum + table.rows, 0)
  const size = database.tables.flatMap(({ parts }) => parts).reduce((sum, { bytes }) => sum + bytes, 0)
  print(`${id}  of ${database.snapshotAt}, version ${version}`)
  print(`  database  ${rows} rows in ${database.tables.length} tables, ${megabytes(size)} compressed`)
  print(
    `  media     ${media.objects} objects of ${media.videos} videos, ${megabytes(media.bytes)}${media.mode === 'manifest' ? ' (listed only)' : ''}`,
  )
}

/** Prints what a drill checked. Returns the exit code: 0 verified, 1 not. */
function printProof({ passed, faults, figures }: Proof, print: Print): number {
  for (const { check, problem } of faults) print(`FAULT  ${DRILL_CHECKS[check]}: ${problem}`)
  const { rows, ledgerEntries, auditEntries, receipts, secrets, objects, segments, seconds } = figures
  print(
    `Restored ${rows} rows; checked ${ledgerEntries} ledger entries, ${auditEntries} audit entries, ${receipts} receipts, ${secrets} secrets, ${objects} objects; played ${segments} segments; ${seconds} s.`,
  )
  print(passed ? 'The backup is verified: it restored completely.' : 'The backup is NOT verified.')
  return passed ? 0 : 1
}

function segmentsOf(given: Options[string]): number {
  if (given === undefined) return DRILL_SEGMENTS
  const segments = given === 'all' ? Number.MAX_SAFE_INTEGER : Number(given)
  if (!Number.isSafeInteger(segments) || segments < 1) throw new Error('--segments must be a number of at least 1, or all.')
  return segments
}

export const backup: Command = {
  name: 'backup',
  description: 'Backs up the database and the media, and verifies the backup by a full restore. Removes old backups (BACKUP_KEEP).',
  options: {
    to: { type: 'string', description: 'Folder (absolute path) or s3://bucket/prefix?… to use instead of BACKUP_URL.' },
    media: { type: 'string', description: 'copy or manifest, in place of BACKUP_MEDIA.' },
    'skip-drill': { type: 'boolean', description: 'Skips the restore that verifies the backup.' },
  },
  async run({ options }, print) {
    process.umask(OWNER_ALONE)
    const place = placeOf(options.to)
    const mode = options.media ?? env().BACKUP_MEDIA
    if (mode !== 'copy' && mode !== 'manifest') throw new Error('--media must be copy or manifest.')
    const signal = interruptible()
    const manifest = await makeBackup({ place, mode, keep: env().BACKUP_KEEP, signal })
    print(`Made a backup at ${placeText(place)}:`)
    printManifest(manifest, print)
    if (options.skipDrill) return 0
    const proof = await drillBackup({ place, backupId: manifest.id, segments: DRILL_SEGMENTS, signal })
    await receiveProof(place, proof)
    return printProof(proof, print)
  },
}

export const listAllBackups: Command = {
  name: 'list-backups',
  description: 'Lists the backups in BACKUP_URL, or, without a database connection, in another place.',
  options: { from: { type: 'string', description: 'Folder (absolute path) or s3://bucket/prefix?….' } },
  needsDatabase: ({ options }) => options.from === undefined,
  async run({ options }, print) {
    const store = await openBackupStore(placeOf(options.from))
    const { whole, partial } = await listBackups(store)
    const proven = options.from === undefined ? await provenBackups() : undefined
    for (const id of whole) {
      printManifest((await readManifest(store, id)).manifest, print)
      if (proven) print(`  ${proven.has(id) ? 'verified' : 'not verified'}`)
    }
    for (const id of partial) print(`${id}  is incomplete`)
    print(`${whole.length} backups.`)
    return 0
  },
}

export const verifyBackup: Command = {
  name: 'verify-backup',
  description: 'Restores a backup into a throwaway database and checks it. With --from, needs the secret but no database.',
  options: {
    from: { type: 'string', description: 'Folder (absolute path) or s3://bucket/prefix?… to read from. Records no receipt.' },
    backup: { type: 'string', description: 'ID of the backup. Default: the newest.' },
    segments: { type: 'string', description: 'How many random segments to play, or all.' },
  },
  needsDatabase: ({ options }) => options.from === undefined,
  async run({ options }, print) {
    process.umask(OWNER_ALONE)
    const place = placeOf(options.from)
    const store = await openBackupStore(place)
    const backupId = options.backup === undefined ? await newestBackup(store) : String(options.backup)
    const manifest = await openBackup(store, backupId)
    printManifest(manifest, print)
    const proof = await drillBackup({ place, backupId, segments: segmentsOf(options.segments), signal: interruptible() })
    if (options.from === undefined) await receiveProof(place, proof)
    return printProof(proof, print)
  },
}

export const restoreFromBackup: Command = {
  name: 'restore-backup',
  description: 'Restores a backup into an empty DATA_DIR or database, and overwrites nothing. Needs the lost installation’s secret.',
  options: {
    from: { type: 'string', description: 'Folder (absolute path) or s3://bucket/prefix?… to use instead of BACKUP_URL.' },
    backup: { type: 'string', description: 'ID of the backup. Default: the newest.' },
  },
  needsDatabase: () => false,
  async run({ options }, print) {
    process.umask(OWNER_ALONE)
    const place = await openBackupStore(placeOf(options.from))
    const manifest = await openBackup(place, options.backup === undefined ? await newestBackup(place) : String(options.backup))
    printManifest(manifest, print)
    const signal = interruptible()
    const { DATABASE_URL, DATA_DIR } = env()
    const embedded = DATABASE_URL ? undefined : await startEmbeddedPostgres({ dataDir: DATA_DIR, signal })
    try {
      if (embedded) services().settings = { ...env(), DATABASE_URL: embedded.url, DATABASE_OWNER_URL: embedded.ownerUrl }
      const { objects, faults } = await restoreBackup({ place, manifest, ...ownerOf(env()), erasures: [storage(), place], signal })
      for (const { problem } of faults) print(`FAULT  ${DRILL_CHECKS.media}: ${problem}`)
      print(`Restored the database and ${objects} media objects. Start the service, then check it: npm run operator -- verify-ledger`)
      if (faults.length === 0) return 0
      print(`${faults.length} objects could not be restored. To find the videos affected: npm run operator -- media scrub`)
      return 1
    } finally {
      await embedded?.stop()
    }
  },
}
