import { query } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import { downloadKey } from '../../videos/media-keys.ts'

/** Days to keep a rendition's MP4 after its last request. */
const KEPT_DAYS = 7
const BATCH = 100

const DUE = `
  SELECT video_id AS "videoId", file, media_id AS "mediaId", name, requested_at AS "requestedAt" FROM video_download
  WHERE media_id IS NOT NULL AND name IS NOT NULL AND requested_at < service_now() - make_interval(days => $1) ORDER BY requested_at LIMIT $2`

// Each account keeps the most recently requested files, up to its limit. If support lowered the limit, that applies to stored files too.
const BEYOND = `
  SELECT "videoId", file, "mediaId", name, "requestedAt" FROM (
    SELECT d.video_id AS "videoId", d.file, d.media_id AS "mediaId", d.name, d.requested_at AS "requestedAt",
      sum(d.bytes) OVER (PARTITION BY v.account_id ORDER BY d.requested_at DESC, d.video_id, d.file) AS kept,
      coalesce(l.value, $1) AS most
    FROM video_download d JOIN video v ON v.id = d.video_id
      LEFT JOIN account_limit l ON l.account_id = v.account_id AND l.name = 'downloadBytes'
    WHERE d.media_id IS NOT NULL AND d.name IS NOT NULL) AS stored
  WHERE kept > most LIMIT $2`

const EVICTED = `
  UPDATE video_download SET media_id = NULL, name = NULL, bytes = NULL
  WHERE video_id = $1 AND file = $2 AND name = $3 AND requested_at = $4 RETURNING name`

/**
 * Removes MP4 files not requested for a week, and those beyond their account's limit. Runs with the job `video.purge`. Returns how many it
 * removed.
 */
export async function evictDownloads(signal?: AbortSignal): Promise<number> {
  const limit = defaultLimit('downloadBytes')
  return (
    (await evict(() => query<Due>('downloads-due', DUE, [KEPT_DAYS, BATCH]), signal)) +
    (await evict(() => query<Due>('downloads-beyond', BEYOND, [limit, BATCH]), signal))
  )
}

interface Due {
  videoId: string
  file: string
  mediaId: string
  name: string
  requestedAt: Date
  [column: string]: unknown
}

async function evict(find: () => Promise<Due[]>, signal: AbortSignal | undefined): Promise<number> {
  let removed = 0
  for (;;) {
    signal?.throwIfAborted()
    const due = await find()
    for (const { videoId, file, mediaId, name, requestedAt } of due) {
      // The row first: a request in between creates the file again.
      const gone = await query('download-evicted', EVICTED, [videoId, file, name, requestedAt])
      if (gone.length > 0) await storage().delete(downloadKey(mediaId, name))
      removed += gone.length
    }
    if (due.length < BATCH) return removed
  }
}
