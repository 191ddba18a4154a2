import { copyObject } from '../../platform/backup/copy-object.ts'
import { checkSignature, listBackups, type Manifest, readManifest } from '../../platform/backup/manifest.ts'
import { linesOf } from '../../platform/backup/parts.ts'
import { restoreDatabase } from '../../platform/backup/restore-database.ts'
import { beginRestore, endRestore, ROWS_RESTORED, withRestoreClient } from '../../platform/backup/unfinished-restore.ts'
import { checkSecretsOf } from '../../platform/config/secret-fingerprints.ts'
import { hasRootSecret } from '../../platform/config/secrets.ts'
import { MARKER, readMarker } from '../../platform/storage/installation-marker.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError, isUnreadable } from '../../platform/storage/storage-error.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { segmentHeaders } from '../videos/media-keys.ts'
import { repeatErasures } from './erasures.ts'
import { type MediaLine, type MediaObject, mediaLine } from './media-list.ts'
import { copiesIn } from './retention.ts'

/** Returns the ID of the newest complete backup in a place. Errors: in words for the operator if there is none. */
export async function newestBackup(place: Storage): Promise<string> {
  const { whole } = await listBackups(place)
  const newest = whole.at(-1)
  if (newest === undefined) throw new Error('There is no backup here.')
  return newest
}

/**
 * Reads a backup's manifest and compares its secrets with this process's, without generating any. Errors: BackupFault, OtherSecretsError,
 * and in words for the operator without a secret.
 */
export async function openBackup(place: Storage, id: string): Promise<Manifest> {
  if (!hasRootSecret())
    throw new Error('The root secret is missing. Set REELGATE_SECRET, or copy the file "secret" from the lost installation into DATA_DIR.')
  const read = await readManifest(place, id)
  checkSecretsOf(read.manifest.secrets)
  checkSignature(read)
  return read.manifest
}

interface Restore {
  place: Storage
  manifest: Manifest
  /** Connects as the role that owns the tables. */
  url: string
  /** The service's role, if it is a different one. */
  service?: string | undefined
  /** Returns which of a video's objects to restore. Default: all. */
  select?: (line: MediaLine) => readonly MediaObject[]
  /** Stores with erasures of viewers, to be repeated if they came after the backup. */
  erasures?: readonly Storage[]
  signal: AbortSignal
}

export interface Restored {
  /** Number of objects copied. */
  objects: number
  /** The objects that are not in the backup as recorded, and erasures that cannot be read. */
  faults: { key: string; problem: string }[]
}

/**
 * Restores a backup into an empty installation: the media, then the database in one transaction. Until all of it is there, no service
 * starts on the database, and the restore can be repeated. Damaged objects do not prevent restoring the others. Errors: BackupFault; in
 * words for the operator if the installation is not empty.
 */
export async function restoreBackup({ place, manifest, url, service, select, erasures = [], signal }: Restore): Promise<Restored> {
  const { hasRows } = await beginRestore(url, manifest.id)
  const marker = await readMarker(storage())
  if (marker !== undefined && marker !== manifest.installation)
    throw new Error('The media storage belongs to another installation. Restore into an empty one.')
  const copies = manifest.media.mode === 'copy'
  const restored = copies ? await restoreMedia({ place, manifest, select, signal }) : { objects: 0, faults: [] }
  const amend = `${PLAN_AGAIN}; ${ROWS_RESTORED}`
  await restoreDatabase(place, manifest.database, url, { service, amend, hasRows, signal })
  for (const store of erasures) {
    const { damaged } = await withRestoreClient(url, (client) => repeatErasures(client, store, signal))
    for (const key of damaged)
      restored.faults.push({ key, problem: `${key} is damaged: the viewer it names is erased again only if another copy is intact` })
  }
  if (copies) await storage().put(MARKER, Buffer.from(manifest.installation))
  await endRestore(url)
  return restored
}

/** Videos that were being transcoded are planned again: the backup has their originals, but no segments of unfinished videos. */
const PLAN_AGAIN = `
  DELETE FROM transcode_task;
  UPDATE transcode_queue SET plan = NULL;
  INSERT INTO transcode_task (media_id, kind, position) SELECT media_id, 'plan', 0 FROM transcode_queue;
  UPDATE media SET playable_at = NULL WHERE status IN ('PENDING', 'PROCESSING')`

/** Videos whose media is copied at once. */
const AT_ONCE = 4

async function restoreMedia({ place, manifest, select, signal }: Omit<Restore, 'url'>): Promise<Restored> {
  const restored: Restored = { objects: 0, faults: [] }
  const copies = copiesIn(place)
  const lines = linesOf(place, manifest.media.list)
  const next = async () => {
    for await (const text of { [Symbol.asyncIterator]: () => ({ next: () => lines.next() }) }) {
      const line = mediaLine.parse(JSON.parse(text))
      for (const { key, bytes, sha256, fault } of select?.(line) ?? line.objects) {
        signal.throwIfAborted()
        if (fault || (await storage().stat(key))?.bytes === bytes) continue
        const headers = key.startsWith('segments/') ? segmentHeaders(key) : undefined
        const accept = (found: string) => found.startsWith(sha256)
        const copied = await copyObject({ key, from: copies, to: storage(), accept, headers, signal }).catch(missing)
        if (copied !== 'missing' && copied !== undefined) restored.objects++
        else {
          const problem = `${key} of ${line.video} ${copied ? 'is missing' : 'does not match the content that the backup recorded'}`
          restored.faults.push({ key, problem })
        }
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return restored
}

function missing(error: unknown): 'missing' | undefined {
  if (isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING') return 'missing'
  if (isUnreadable(error)) return undefined
  throw error
}
