import { join } from 'node:path'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { diskStorage } from './disk.ts'
import { fetchOnce } from './fetched-files.ts'
import { checkMarker } from './installation-marker.ts'
import { withMeasures } from './measured-storage.ts'
import { type MediaLocation, mediaLocationText } from './media-location.ts'
import { followMove } from './media-move.ts'
import { s3Storage } from './s3.ts'
import { s3Client } from './s3-client.ts'
import type { Storage } from './storage-port.ts'

/** The service's media store: the bucket or folder of STORAGE_URL, or else `DATA_DIR/media`. */
export const storage = (): Storage => services().storage

declare module '../container.ts' {
  interface Services {
    storage: Storage
  }
}

export const makeStorage = (): Storage => withMeasures(followMove(openStore(env().STORAGE_URL)))

/** Returns the store of a location. */
export function openStore(location: MediaLocation): Storage {
  if (!location) return diskStorage(join(env().DATA_DIR, 'media'), checkMarker)
  if ('folder' in location) return diskStorage(location.folder, checkMarker)
  return s3Storage({ connect: () => s3Client(location), fetch: fetchOnce, check: checkMarker })
}

/** Returns the location in this process's settings as text. */
export const ownLocation = (): string => mediaLocationText(env().STORAGE_URL)
