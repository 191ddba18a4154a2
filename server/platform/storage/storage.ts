import { join } from 'node:path'
import { env } from '../config.ts'
import { services } from '../container.ts'
import { diskStorage } from './disk.ts'
import type { Storage } from './storage-port.ts'

/** The service's media store: `DATA_DIR/media`. */
export const storage = (): Storage => services().storage

declare module '../container.ts' {
  interface Services {
    storage: Storage
  }
}

export const makeStorage = (): Storage => diskStorage(join(env().DATA_DIR, 'media'))
