import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../errors.ts'
import { services } from '../../platform/container.ts'
import { query } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import { counter } from '../../platform/observe/metrics.ts'

/** A stored object that is missing, or whose content is not that of its name. */
export interface MediaFault {
  /** Media that it belongs to; captions and posters of the owner belong to what their video plays. */
  mediaId: string
  key: string
  kind: 'changed' | 'missing'
}

declare module '../../platform/container.ts' {
  interface Services {
    /** Keys of damaged objects that this process has reported within the last minute. */
    reportedFaults: LRUCache<string, true>
  }
}

const REPORT_MS = 60_000
export const makeReportedFaults = () => new LRUCache<string, true>({ max: 10_000, ttl: REPORT_MS })

export const damagedRefused = counter(
  'reelgate_damaged_objects_refused_total',
  'Responses that were refused because the stored object does not have the content of its name.',
)

/** Returns the hash that the name of an object begins: the last part of its key without its ending. */
export const hashNameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1).split('.', 1)[0] as string

/** Seconds for which a client waits before it requests a damaged object again. */
const RETRY_SEC = 60

/**
 * Reports an object that was to be served and is damaged: one error in the log and one row for `media.repair` a minute at most. Returns the
 * error for the client. The row is written in the background: the database may be unavailable while segments are served.
 */
export function refuseDamaged(key: string): ServiceError {
  damagedRefused.add({})
  const reported = services().reportedFaults
  if (!reported.has(key)) {
    reported.set(key, true)
    log().error({ key }, 'a stored object does not have the content of its name; it is not served and a repair is requested')
    recordFault({ key, kind: 'changed' }, { repair: true }).catch((error: Error) => {
      reported.delete(key)
      log().warn({ err: error.message, key }, 'the repair of a damaged object could not be requested')
    })
  }
  const message = 'This part of the video is damaged in the media storage and is being repaired. Try again later.'
  return new ServiceError('SERVICE_UNAVAILABLE', { message, retryAfter: RETRY_SEC })
}

/**
 * Records a fault of existing media. With `repair` a worker repairs it, except one whose repair is known to be impossible; `again` requests
 * that one too.
 */
export async function recordFault(
  { key, kind }: Pick<MediaFault, 'key' | 'kind'>,
  { repair, again = false }: { repair: boolean; again?: boolean },
): Promise<void> {
  await query('record-media-fault', RECORD, [key, kind, repair, again])
}

const RECORD = `
  INSERT INTO media_fault (key, media_id, kind, due_at)
  SELECT $1, id, $2, CASE WHEN $3::boolean THEN service_clock() END FROM (
    SELECT id FROM media WHERE source_key = $1 OR $1 !~ '^(extras|sources)/' AND id = split_part($1, '/', 2)
    UNION ALL SELECT media_id FROM video WHERE $1 LIKE 'extras/%' AND id = split_part($1, '/', 2)) AS owner
  LIMIT 1
  ON CONFLICT (key) DO UPDATE SET kind = $2,
    due_at = CASE WHEN $4::boolean OR media_fault.failure IS NULL THEN coalesce(media_fault.due_at, excluded.due_at) ELSE media_fault.due_at END`

/** Returns the videos whose last repair failed, and why. */
export const failedRepairs = () =>
  query<{ videoId: string; failure: string }>(
    'failed-media-repairs',
    `SELECT DISTINCT m.video_id AS "videoId", f.failure FROM media_fault f JOIN media m ON m.id = f.media_id
     WHERE f.failure IS NOT NULL ORDER BY m.video_id`,
    [],
  )
