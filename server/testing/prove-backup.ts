import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { drillSettings } from '../modules/backups/drill-request.ts'
import { type Proof, proveBackup } from '../modules/backups/prove.ts'
import { openBackupStore } from '../platform/backup/backup-place.ts'
import type { BackupPlace } from '../platform/backup/backup-url.ts'
import { env, type GivenSettings } from '../platform/config/config.ts'
import { services, setContainer } from '../platform/container.ts'
import { closeDb } from '../platform/database/database.ts'
import { diskStorage } from '../platform/storage/disk.ts'
import { storage } from '../platform/storage/storage.ts'
import { buildContainer } from '../services.ts'

/** Creates an empty database on the tests' server for `work`, and removes it afterwards. */
export async function withEmptyDatabase<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const server = process.env.REELGATE_TEST_SERVER as string
  const name = `reelgate_test_${process.pid}_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  try {
    return await work(Object.assign(new URL(server), { pathname: `/${name}` }).href)
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  }
}

/** Runs `work` with its own container: a restored installation, as a drill's process has it. */
export async function asRestored<Result>(url: string, given: GivenSettings, work: () => Promise<Result>): Promise<Result> {
  const before = services()
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-restored-'))
  const settings = { ...drillSettings(folder), DATABASE_URL: url, ...given }
  buildContainer(settings).log = before.log
  try {
    return await work()
  } finally {
    await closeDb()
    setContainer(before)
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Verifies a backup in a place, or in the folder with that path, as a drill's process does, in a database on the tests' server and in this
 * process.
 */
export function prove(
  place: BackupPlace | string,
  backupId: string,
  { segments = 1_000, ...given }: GivenSettings & { segments?: number } = {},
): Promise<Proof> {
  const own = storage()
  return withEmptyDatabase((url) =>
    asRestored(url, given, async () => {
      const store = await openBackupStore(typeof place === 'string' ? { folder: place } : place)
      const selectMedia = (mode: 'copy' | 'manifest') => {
        services().storage = mode === 'copy' ? diskStorage(join(env().DATA_DIR, 'media')) : own
      }
      return proveBackup({ backupId, place: store, url, selectMedia, segments, signal: new AbortController().signal })
    }),
  )
}
