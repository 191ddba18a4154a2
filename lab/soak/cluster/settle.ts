import { setTimeout as wait } from 'node:timers/promises'
import { db } from '../../../server/platform/database/database.ts'
import type { AcknowledgedUpload } from './uploader.ts'

/** Longest time in milliseconds that work may continue after the load has ended. */
const PATIENCE_MS = 300_000
/** Milliseconds after which every process has written its counters. */
const COUNTERS_MS = 2_500

/** Waits until the workers have nothing left of what clients caused, or `PATIENCE_MS` are over. */
export async function settle(uploads: readonly AcknowledgedUpload[]): Promise<void> {
  await wait(COUNTERS_MS)
  const ids = uploads.map(({ videoId }) => videoId)
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await wait(500)) {
    const [transcoding, deliveries] = await Promise.all([
      db().video.count({ where: { id: { in: ids }, status: { in: ['PENDING', 'PROCESSING'] } } }),
      db().webhookQueue.count(),
    ])
    if (transcoding + deliveries === 0) return
  }
}
