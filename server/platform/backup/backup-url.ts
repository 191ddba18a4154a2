import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseStorageUrl, type StorageLocation } from '../storage/storage-url.ts'

/** Where backups are stored: a folder, or a prefix in a bucket. */
export type BackupPlace = { folder: string } | { bucket: StorageLocation }

/**
 * Parses a BACKUP_URL: an absolute path, `file:///path`, or `s3://bucket/prefix?…` as in STORAGE_URL. Errors are in words for the operator
 * and never repeat the URL.
 */
export function parseBackupUrl(text: string): BackupPlace {
  if (text.startsWith('s3:')) return { bucket: parseStorageUrl(text) }
  const folder = text.startsWith('file:') && URL.canParse(text) ? fileURLToPath(text) : text
  if (!isAbsolute(folder)) throw new Error('Must be the absolute path of a folder, or have the form s3://bucket/prefix?endpoint=….')
  return { folder }
}

/** Returns the place as text without credentials, to show and to compare. */
export const placeText = (place: BackupPlace): string =>
  'folder' in place ? place.folder : `s3://${place.bucket.bucket}/${place.bucket.prefix}`
