import { BackupFault } from '../../platform/backup/backup-fault.ts'
import { copyObject } from '../../platform/backup/copy-object.ts'
import { checkSignature, listBackups, type Manifest, readManifest } from '../../platform/backup/manifest.ts'
import { linesOf } from '../../platform/backup/parts.ts'
import { requireEmptyDatabase, restoreDatabase } from '../../platform/backup/restore-database.ts'
import { checkSecretsOf } from '../../platform/secret-fingerprints.ts'
import { hasRootSecret } from '../../platform/secrets.ts'
import { MARKER, readMarker } from '../../platform/storage/installation-marker.ts'
import { storage } from '../../platform/storage/storage.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { segmentHeaders } from '../videos/media-keys.ts'
import { mediaLine } from './media-list.ts'
import { copiesIn } from './place.ts'

/** Returns the id of the newest whole backup of a place. Errors: in words for the operator when there is none. */
export async function newestBackup(place: Storage): Promise<string> {
  const { whole } = await listBackups(place)
  const newest = whole.at(-1)
  if (newest === undefined) throw new Error('There is no backup in this place.')
  return newest
}

/**
 * Reads a backup's manifest and compares its secrets with those of this process, without generating any. Errors: BackupFault,
 * OtherSecretsError, and in words for the operator without a secret.
 */
export async function openBackup(place: Storage, id: string): Promise<Manifest> {
  if (!hasRootSecret())
    throw new Error('There is no root secret. Set REELGATE_SECRET, or copy the file "secret" of the lost installation into DATA_DIR.')
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
  /** The role of the service, where it is another. */
  service: string | undefined
  signal: AbortSignal
}

/**
 * Restores a backup into an empty installation: the media, then the database in one transaction, so that an interrupted restore can be
 * repeated. Returns the number of objects copied. Errors: BackupFault; in words for the operator where the installation is not empty.
 */
export async function restoreBackup({ place, manifest, url, service, signal }: Restore): Promise<{ objects: number }> {
  await requireEmptyDatabase(url)
  const marker = await readMarker(storage())
  if (marker !== undefined && marker !== manifest.installation)
    throw new Error('The media storage belongs to another installation. Restore into an empty one.')
  const objects = manifest.media.mode === 'copy' ? await restoreMedia(place, manifest, signal) : 0
  await restoreDatabase(place, manifest.database, url, { service, amend: PLAN_AGAIN, signal })
  // Last: only a complete installation has it.
  if (manifest.media.mode === 'copy') await storage().put(MARKER, Buffer.from(manifest.installation))
  return { objects }
}

/** Videos that were being transcoded are planned again: the backup has their originals, and no segments of unfinished videos. */
const PLAN_AGAIN = `
  DELETE FROM transcode_task;
  UPDATE transcode_queue SET plan = NULL;
  INSERT INTO transcode_task (video_id, kind, position) SELECT video_id, 'plan', 0 FROM transcode_queue;
  UPDATE video SET playable_at = NULL WHERE status IN ('PENDING', 'PROCESSING')`

/** Videos whose media is copied at once. */
const AT_ONCE = 4

async function restoreMedia(place: Storage, { media: { list } }: Manifest, signal: AbortSignal): Promise<number> {
  let objects = 0
  const copies = copiesIn(place)
  const lines = linesOf(place, list)
  const next = async () => {
    for await (const text of { [Symbol.asyncIterator]: () => ({ next: () => lines.next() }) }) {
      for (const { key, bytes, sha256, fault } of mediaLine.parse(JSON.parse(text)).objects) {
        signal.throwIfAborted()
        if (fault || (await storage().stat(key))?.bytes === bytes) continue
        const headers = key.startsWith('segments/') ? segmentHeaders(key) : undefined
        const accept = (found: string) => found.startsWith(sha256)
        const copied = await copyObject({ key, from: copies, to: storage(), accept, headers, signal })
        if (!copied) throw new BackupFault(`${key} has another content than the backup recorded`)
        objects++
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return objects
}
