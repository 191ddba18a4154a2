import { BackupFault } from '../../platform/backup/backup-fault.ts'
import { openBackupStore, storeBelow } from '../../platform/backup/backup-place.ts'
import { type BackupPlace, placeText } from '../../platform/backup/backup-url.ts'
import { readWhole } from '../../platform/backup/parts.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { hasBackupsAt } from './records.ts'

/** Object that names the installation whose backups a place holds. */
const OWNER = 'installation'

/** Returns the media in a place; keys are those of the media storage. */
export const copiesIn = (place: Storage): Storage => storeBelow(place, 'media/')
/** Returns the hashes of sources in a place. */
export const hashesIn = (place: Storage): Storage => storeBelow(place, 'hashes/')

/**
 * Opens a place for a new backup and marks it as that of this installation. Errors, in words for the operator: the place belongs to another
 * installation, or has lost the backups that were made there, as a volume does that is not mounted.
 */
export async function openOwnPlace(place: BackupPlace, installation: string): Promise<Storage> {
  const store = await openBackupStore(place)
  const found = await readWhole(store, OWNER).catch((error: unknown) => {
    if (error instanceof BackupFault) return undefined
    throw error
  })
  const owner = found?.toString().trim()
  if (owner !== undefined && owner !== installation)
    throw new Error('The place of BACKUP_URL holds the backups of another installation. Each needs a folder or a prefix of its own.')
  if (owner === undefined && (await hasBackupsAt(placeText(place))))
    throw new Error(
      `The backups that were made at ${placeText(place)} are gone. Check that its volume is mounted; to start over there, create the file "${OWNER}" with the text ${installation} in it.`,
    )
  if (owner === undefined) await store.put(OWNER, Buffer.from(`${installation}\n`))
  return store
}
