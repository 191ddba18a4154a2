import { query } from '../../platform/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { downloadKey } from '../videos/media-keys.ts'

/** Days for which the MP4 of a rendition is kept after its last request. */
const KEPT_DAYS = 7
const BATCH = 100

const DUE = `
  SELECT video_id AS "videoId", file, media_id AS "mediaId", name FROM video_download
  WHERE name IS NOT NULL AND requested_at < service_now() - make_interval(days => $1) ORDER BY requested_at LIMIT $2`

const EVICTED = `
  UPDATE video_download SET media_id = NULL, name = NULL, bytes = NULL
  WHERE video_id = $1 AND file = $2 AND name = $3 AND requested_at < service_now() - make_interval(days => $4) RETURNING name`

/** Removes MP4 files that were not requested for a week. Runs with the job `video.purge`; returns their number. */
export async function evictDownloads(signal?: AbortSignal): Promise<number> {
  let removed = 0
  for (;;) {
    signal?.throwIfAborted()
    const due = await query<{ videoId: string; file: string; mediaId: string; name: string }>('downloads-due', DUE, [KEPT_DAYS, BATCH])
    for (const { videoId, file, mediaId, name } of due) {
      // The row first: a request in between makes the file again.
      const gone = await query('download-evicted', EVICTED, [videoId, file, name, KEPT_DAYS])
      if (gone.length > 0) await storage().delete(downloadKey(mediaId, name))
      removed += gone.length
    }
    if (due.length < BATCH) return removed
  }
}
