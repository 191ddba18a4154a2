import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../errors.ts'
import { services } from '../../platform/container.ts'
import { query } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import { counter } from '../../platform/observe/metrics.ts'

/** A stored object that is missing, or whose content does not match its name. */
export interface MediaFault {
  /** Media that it belongs to. The owner's captions and posters belong to what their video plays. */
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
  'Responses refused because a stored object’s content does not match its name.',
)

/** Returns the hash in an object's name: the last part of its key without its ending. */
export const hashNameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1).split('.', 1)[0] as string

/** Seconds before a client requests a damaged object again. */
const RETRY_SEC = 60

/**
 * Reports a damaged object that was about to be served: at most one error in the log and one row for `media.repair` per minute. Returns the
 * error for the client. Writes the row in the background, because the database may be unavailable while segments are served.
 */
export function refuseDamaged(key: string): ServiceError {
  damagedRefused.add({})
  const reported = services().reportedFaults
  if (!reported.has(key)) {
    reported.set(key, true)
    log().error({ key }, 'the content of a stored object does not match its name; refused to serve it and requested its repair')
    recordFault({ key, kind: 'changed' }, { repair: true }).catch((error: Error) => {
      reported.delete(key)
      log().warn({ err: error.message, key }, 'could not request the repair of a damaged object')
    })
  }
  const message = 'The stored copy of this part of the video is damaged and being repaired. Try again later.'
  return new ServiceError('SERVICE_UNAVAILABLE', { message, retryAfter: RETRY_SEC })
}

/**
 * Records a fault in existing media. With `repair`, a worker repairs it, unless its repair is known to be impossible; `again` requests that
 * one too.
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
