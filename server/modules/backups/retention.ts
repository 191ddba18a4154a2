import { BackupFault } from '../../platform/backup/backup-fault.ts'
import { openBackupStore, storeBelow } from '../../platform/backup/backup-place.ts'
import { type BackupPlace, placeText } from '../../platform/backup/backup-url.ts'
import { backupPrefix, listBackups, readManifest } from '../../platform/backup/manifest.ts'
import { linesOf, readWhole } from '../../platform/backup/parts.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { extraPrefix, picturePrefix, SOURCES, segmentPrefix } from '../videos/media-keys.ts'
import { mediaLine } from './media-list.ts'
import { hasBackupsAt, provenBackups, recordRemaining } from './records.ts'

interface Options {
  /** The place, as it is recorded. */
  place: string
  /** How many complete backups to keep. */
  keep: number
  /** The one just made. */
  kept: string
}

/**
 * Removes from a place all but the newest backups and the newest verified one, then what interrupted backups left, then media that no
 * remaining backup has. Call it under the backup lock. Removes nothing if a remaining backup cannot be read.
 */
export async function removeOldBackups(store: Storage, { place, keep, kept }: Options): Promise<void> {
  const { whole, partial } = await listBackups(store)
  const proven = await provenBackups()
  const lastProven = whole.findLast((id) => proven.has(id))
  const remaining = new Set([...whole.slice(-keep), kept, ...(lastProven ? [lastProven] : [])])
  const removed = whole.filter((id) => !remaining.has(id))
  for (const id of [...removed, ...partial]) {
    // The signature first, so that what an interruption leaves is not complete.
    await store.delete(`${backupPrefix(id)}signature`)
    await store.deletePrefix(backupPrefix(id))
  }
  await recordRemaining(place, [...remaining])
  if (removed.length === 0) return
  await removeMediaOfOthers(store, remaining)
}

/** Removes the media of videos that are in none of these backups. */
async function removeMediaOfOthers(store: Storage, ids: Iterable<string>): Promise<void> {
  const owners = new Set<string>()
  const sources = new Set<string>()
  for (const id of ids) {
    const { manifest } = await readManifest(store, id)
    for await (const line of linesOf(store, manifest.media.list)) {
      const { objects } = mediaLine.parse(JSON.parse(line))
      for (const { key } of objects) {
        if (key.startsWith(SOURCES)) sources.add(key)
        else owners.add(key.split('/')[1] ?? '')
      }
    }
  }
  for (const view of [copiesIn(store), hashesIn(store)]) {
    for (const prefixOf of [segmentPrefix, picturePrefix, extraPrefix]) {
      const folder = prefixOf('').split('/')[0] as string
      const gone = new Set<string>()
      for await (const key of view.list(`${folder}/`)) {
        const owner = key.split('/')[1] ?? ''
        if (!owners.has(owner)) gone.add(owner)
      }
      for (const owner of gone) await view.deletePrefix(prefixOf(owner))
    }
    for await (const key of view.list(SOURCES)) if (!sources.has(key)) await view.delete(key)
  }
}

/** Object that names the installation whose backups a place holds. */
const OWNER = 'installation'

/** Returns the media in a place. Keys are as in the media storage. */
export const copiesIn = (place: Storage): Storage => storeBelow(place, 'media/')
/** Returns the hashes of sources in a place. */
export const hashesIn = (place: Storage): Storage => storeBelow(place, 'hashes/')

/**
 * Opens a place for a new backup and marks it as this installation's. Errors, in words for the operator: the place belongs to another
 * installation, or has lost the backups made there, as an unmounted volume does.
 */
export async function openOwnPlace(place: BackupPlace, installation: string): Promise<Storage> {
  const store = await openBackupStore(place)
  const found = await readWhole(store, OWNER).catch((error: unknown) => {
    if (error instanceof BackupFault) return undefined
    throw error
  })
  const owner = found?.toString().trim()
  if (owner !== undefined && owner !== installation)
    throw new Error('BACKUP_URL holds the backups of another installation. Give each installation its own folder or prefix.')
  if (owner === undefined && (await hasBackupsAt(placeText(place))))
    throw new Error(
      `The backups made at ${placeText(place)} are gone. Check that its volume is mounted; to start over there, create the file "${OWNER}" with the text ${installation} in it.`,
    )
  if (owner === undefined) await store.put(OWNER, Buffer.from(`${installation}\n`))
  return store
}
