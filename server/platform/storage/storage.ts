import { join } from 'node:path'
import { env } from '../config.ts'
import { services } from '../container.ts'
import { diskStorage } from './disk.ts'
import { fetchOnce } from './fetched-files.ts'
import { checkMarker } from './installation-marker.ts'
import { withMeasures } from './measured-storage.ts'
import { s3Storage } from './s3.ts'
import { s3Client, storageLocation } from './s3-client.ts'
import type { Storage } from './storage-port.ts'

/** The service's media store: the bucket of STORAGE_URL, or else `DATA_DIR/media`. */
export const storage = (): Storage => services().storage

declare module '../container.ts' {
  interface Services {
    storage: Storage
  }
}

/** Folder of the media where STORAGE_URL is unset. */
export const mediaFolder = () => join(env().DATA_DIR, 'media')

export const makeStorage = (): Storage =>
  withMeasures(
    storageLocation()
      ? s3Storage({ connect: () => s3Client(), fetch: fetchOnce, check: checkMarker })
      : diskStorage(mediaFolder(), checkMarker),
  )
