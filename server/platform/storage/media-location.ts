import { isAbsolute, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseStorageUrl, type StorageLocation } from './storage-url.ts'

/** Where media is: a bucket, or a folder. Undefined: `DATA_DIR/media`. */
export type MediaLocation = StorageLocation | { folder: string } | undefined

/** How the operator and the database name `DATA_DIR/media`. */
const DISK = 'disk'

/** Returns the location of a STORAGE_URL, or of `disk`. Throws an Error for the operator that never repeats the URL. */
export function parseMediaLocation(text: string): MediaLocation {
  if (text === DISK) return undefined
  if (!text.startsWith('file:')) return parseStorageUrl(text)
  const folder = URL.canParse(text) && new URL(text).host === '' ? normalize(fileURLToPath(text)).replace(/\/$/, '') : ''
  if (!isAbsolute(folder)) throw new Error('A folder must have the form file:///path/to/media.')
  return { folder }
}

/** Returns a location as text. Equal locations have equal texts. */
export function mediaLocationText(location: MediaLocation): string {
  if (!location) return DISK
  if ('folder' in location) return `file://${encodeURI(location.folder)}`
  const { bucket, prefix, endpoint, region, pathStyle, partLimit, equalParts } = location
  const parameters = new URLSearchParams({ ...(endpoint && { endpoint }), region, pathStyle: String(pathStyle) })
  if (partLimit !== 10_000) parameters.set('partLimit', String(partLimit))
  if (equalParts) parameters.set('equalParts', 'true')
  return `s3://${bucket}/${prefix}?${parameters}`
}
