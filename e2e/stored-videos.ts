import { join } from 'node:path'
import type { AccountCtx } from '../server/context.ts'
import { closeDb } from '../server/platform/database/database.ts'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { buildContainer } from '../server/services.ts'
import { makeAccount } from '../server/testing/make.ts'
import { type Service, startService } from './service.ts'

/** A service of its own, on whose data this process may call `storeVideo` for an account. */
export interface ServiceForStoredVideos {
  service: Service
  ctx: AccountCtx
  stop(): Promise<void>
}

/** Starts a service with these settings and builds the container of this process on its data. */
export async function serviceForStoredVideos(settings: Record<string, string> = {}): Promise<ServiceForStoredVideos> {
  const service = await startService(settings)
  const DATA_DIR = join(service.folder, 'data')
  const { url: DATABASE_URL } = await attachToEmbeddedPostgres(DATA_DIR)
  buildContainer({ ...process.env, DATA_DIR, DATABASE_URL, BASE_URL: service.base, ...settings })
  const ctx = await makeAccount()
  return {
    service,
    ctx,
    async stop() {
      await closeDb()
      await service.stop()
    },
  }
}
