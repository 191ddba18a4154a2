import { join } from 'node:path'
import { env } from '../config.ts'
import { processWide } from '../process-wide.ts'
import { diskStorage } from './disk.ts'
import type { Storage } from './storage-port.ts'

/** The service's media store: `DATA_DIR/media`. */
export const storage = (): Storage => processWide('storage', () => diskStorage(join(env().DATA_DIR, 'media')))
