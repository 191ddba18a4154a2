import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type pg from 'pg'
import { underBackupLock } from '../../platform/backup/backup-lock.ts'
import { type BackupPlace, placeText } from '../../platform/backup/backup-url.ts'
import { sweepCopies } from '../../platform/backup/copy-object.ts'
import { BEGIN_SNAPSHOT, type DatabaseDump, dumpDatabase } from '../../platform/backup/dump.ts'
import { backupPrefix, type Manifest, storeManifest } from '../../platform/backup/manifest.ts'
import { type Part, storeParts } from '../../platform/backup/parts.ts'
import { type SpooledLines, spoolLines } from '../../platform/backup/spooled-lines.ts'
import { FINGERPRINTS } from '../../platform/config/secret-fingerprints.ts'
import { version } from '../../platform/config/version.ts'
import { pool } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { MediaCopier } from './copy-media.ts'
import { presentMedia, readLine, referencedMedia, writeLine } from './media-list.ts'
import { recordFailure, recordFinish, recordStart } from './records.ts'
import { copiesIn, hashesIn, openOwnPlace, removeOldBackups } from './retention.ts'

interface Options {
  place: BackupPlace
  mode: Manifest['media']['mode']
  /** How many backups to keep, including this one. */
  keep: number
  signal: AbortSignal
}

/**
 * Makes a backup: the database in one snapshot, then the media it refers to, then the manifest, which makes it complete. Then removes old
 * ones. Returns the manifest. Errors: BackupRunningError; errors of the place, the storage and the database, recorded and in words for the
 * operator.
 */
export function makeBackup({ place, mode, keep, signal: asked }: Options): Promise<Manifest> {
  return underBackupLock(asked, async (client, signal) => {
    const id = newBackupId()
    await recordStart(id, placeText(place))
    try {
      await sweepCopies()
      const installation = await installationOf(client)
      const store = await openOwnPlace(place, installation)
      const manifest = await write({ id, installation, store, client, mode, signal })
      await recordFinish(id, figuresOf(manifest))
      await removeOldBackups(store, { place: placeText(place), keep, kept: id }).catch(({ message }: Error) => {
        throw new Error(`The backup ${id} is complete, but older ones could not be removed: ${message}`)
      })
      return manifest
    } catch (error) {
      await recordFailure(id, (error as Error).message).catch((failed: Error) => {
        log().error({ err: failed.message }, 'could not record a failed backup')
      })
      throw error
    }
  })
}

/** Starts with the time, so that backups sort by age. */
const newBackupId = () => `bkp_${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z_${randomBytes(4).toString('hex')}`

async function installationOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM installation WHERE id IS NOT NULL')
  if (!rows[0]) throw new Error('This installation has never been started. Start it once, then make a backup.')
  return rows[0].id
}

interface Work {
  id: string
  installation: string
  store: Storage
  client: pg.Client
  mode: Manifest['media']['mode']
  signal: AbortSignal
}

async function write(work: Work): Promise<Manifest> {
  const { id, installation, store, mode, signal } = work
  const startedAt = new Date().toISOString()
  const { database, secrets, media } = await readDatabase(work)
  try {
    const copier = new MediaCopier({
      media: storage(),
      copies: mode === 'copy' ? copiesIn(store) : undefined,
      hashes: hashesIn(store),
      present: (mediaId) => presentMedia(pool(), mediaId),
      signal,
    })
    const list = await copyMedia(media, copier, (lines) => storeParts(store, `${backupPrefix(id)}media.`, lines))
    if (copier.damaged.length > 0)
      log().error({ damaged: copier.damaged, backup: id }, 'some stored media is damaged, so the backup lacks it')
    const manifest = { id, version: version(), installation, startedAt, secrets, database, media: { mode, list, ...copier.counts } }
    signal.throwIfAborted()
    return await storeManifest(store, manifest)
  } finally {
    await media.close()
  }
}

/** Stores the database and notes the media it refers to, all in one snapshot, which ends before media is copied. */
async function readDatabase({ id, store, client, signal }: Work): Promise<{
  database: DatabaseDump
  secrets: Record<string, string>
  media: SpooledLines
}> {
  await client.query(BEGIN_SNAPSHOT)
  const database = await dumpDatabase(client, store, `${backupPrefix(id)}database/`, signal)
  const { rows } = await client.query<{ recorded: Record<string, string> }>(FINGERPRINTS)
  async function* lines() {
    for await (const media of referencedMedia(client)) yield writeLine(media)
  }
  const media = await spoolLines(lines())
  await client.query('COMMIT')
  return { database, secrets: rows[0]?.recorded ?? {}, media }
}

/** Media copied at once. */
const AT_ONCE = 4

async function copyMedia(media: SpooledLines, copier: MediaCopier, store: (lines: Readable) => Promise<Part[]>): Promise<Part[]> {
  async function* lines() {
    let batch: string[] = []
    const takeBatch = async () => {
      const taken = await Promise.all(batch.map((line) => copier.take(readLine(line))))
      batch = []
      return taken.map((line) => `${JSON.stringify(line)}\n`).join('')
    }
    for await (const line of media.lines()) if (batch.push(line) === AT_ONCE) yield await takeBatch()
    if (batch.length > 0) yield await takeBatch()
  }
  return store(Readable.from(lines()))
}

const sizeOf = (parts: readonly Part[]) => parts.reduce((sum, { bytes }) => sum + bytes, 0)

function figuresOf({ database: { snapshotAt, tables }, media: { objects, bytes, copied } }: Manifest) {
  return {
    snapshotAt,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    databaseBytes: tables.reduce((sum, { parts }) => sum + sizeOf(parts), 0),
    ...{ objects, bytes, copiedBytes: copied.bytes },
  }
}
