import { newId } from '../../platform/crypto.ts'
import { db } from '../../platform/database.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { REENCODABLE } from './request-reencode.ts'

/** Those that cannot be re-encoded at the moment keep their request. */
const NEXT = `
  SELECT id, account_id AS "accountId", title, target_quality AS "targetQuality", encrypted, source_key AS "sourceKey", source_bytes AS "sourceBytes", source_name AS "sourceName"
  FROM video WHERE reencode_requested_at IS NOT NULL AND ${REENCODABLE} AND NOT EXISTS (SELECT FROM transcode_queue)
  ORDER BY reencode_requested_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`

interface Next {
  id: string
  accountId: string
  title: string
  targetQuality: string
  encrypted: boolean
  sourceKey: string
  sourceBytes: bigint
  sourceName: string
}

/** Advisory lock of what begins in idle time: two workers would begin two. */
export const BEGIN_LOCK = 72_707_391

/**
 * Queues the next video that waits to be re-encoded, as a row that replaces its source by the same file, unless anything is being transcoded: the
 * videos of owners come first. Runs as the job `video.reencode`. Returns whether one was queued.
 */
export const beginReencode = (): Promise<boolean> =>
  db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${BEGIN_LOCK})`
    const [next] = await tx.$queryRawUnsafe<Next[]>(NEXT)
    if (!next) return false
    const { id: replaces, ...source } = next
    await tx.$executeRaw`UPDATE video SET reencode_requested_at = NULL WHERE id = ${replaces}`
    await tx.video.create({ data: { id: newId('vid'), replaces, reencodes: true, ...source } })
    await appendVideoLog(tx, replaces, 'start', 'Re-encoding started. The video plays meanwhile.')
    return true
  })
