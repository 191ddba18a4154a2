import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { DrillAnswer, DrillRequest } from './modules/backups/drill-request.ts'
import { type Proof, proveBackup } from './modules/backups/prove.ts'
import { openBackupStore } from './platform/backup/backup-place.ts'
import { env } from './platform/config/config.ts'
import { services } from './platform/container.ts'
import { closeDb } from './platform/database/database.ts'
import { startEmbeddedPostgres } from './platform/postgres/embedded.ts'
import { diskStorage } from './platform/storage/disk.ts'
import { fetchOnce } from './platform/storage/fetched-files.ts'
import { s3Storage } from './platform/storage/s3.ts'
import { s3Client } from './platform/storage/s3-client.ts'
import type { Storage } from './platform/storage/storage-port.ts'
import { buildContainer } from './services.ts'

/**
 * Runs a restore drill in its own process: receives a DrillRequest, restores the backup into an embedded PostgreSQL in a throwaway folder,
 * and replies with a DrillAnswer. Its services belong to the restored installation. Ends early on SIGTERM and with its parent.
 */
const leaving = new AbortController()
const leave = () => leaving.abort(new Error('The drill was interrupted.'))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave)
process.on('disconnect', leave)
process.once('message', (request: DrillRequest) => {
  void run(request)
    .then((proof): DrillAnswer => ({ proof }))
    .catch((error: Error): DrillAnswer => ({ error: error.message }))
    .then((answer) => {
      process.send?.(answer)
      process.disconnect?.()
    })
})

async function run({ backupId, place, segments, media, settings }: DrillRequest): Promise<Proof> {
  // PostgreSQL and ffmpeg inherit it.
  setPriority(19)
  process.umask(0o077)
  buildContainer(settings)
  services().statementSec = 86_400
  const { signal } = leaving
  const postgres = await startEmbeddedPostgres({ dataDir: env().DATA_DIR, durable: false, maxConnections: 20, signal })
  try {
    services().settings = { ...env(), DATABASE_URL: postgres.superuserUrl }
    const selectMedia = (mode: 'copy' | 'manifest') => {
      services().storage = mode === 'copy' ? diskStorage(join(env().DATA_DIR, 'media')) : installationMedia(media)
    }
    const store = await openBackupStore(place)
    return await proveBackup({ backupId, place: store, url: postgres.superuserUrl, selectMedia, segments, signal })
  } finally {
    await closeDb()
    await postgres.stop()
  }
}

const installationMedia = (media: DrillRequest['media']): Storage =>
  'folder' in media
    ? diskStorage(media.folder)
    : s3Storage({ connect: () => s3Client(media.bucket), fetch: fetchOnce, check: async () => {} })
