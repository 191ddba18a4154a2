import { setTimeout as wait } from 'node:timers/promises'
import { query } from '../../../platform/database/database.ts'
import { log } from '../../../platform/observe/log.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { remuxToMp4 } from '../../transcoding/encode/remux.ts'
import { makeTemporaryFolder, removeWorkFolder, SpaceGuard } from '../../transcoding/encode/work-folder.ts'
import { type Codec, renditionName } from '../../videos/codecs-schema.ts'
import { downloadKey } from '../../videos/media-keys.ts'
import { makeRoom } from './make-room.ts'
import { type RenditionFile, renditionFile } from './rendition-file.ts'

const HEADERS = { contentType: 'video/mp4' }

const STORED = `
  WITH before AS (SELECT media_id, name FROM video_download WHERE video_id = $1 AND file = $2 FOR UPDATE)
  UPDATE video_download d SET media_id = $3, name = $4, bytes = $5, pending_name = NULL, pending_bytes = NULL, preparing_at = NULL,
    failures = 0, failed_at = NULL
  FROM before
  WHERE d.video_id = $1 AND d.file = $2 RETURNING before.media_id AS "mediaId", before.name`

const ALIVE = 'UPDATE video_download SET preparing_at = service_now() WHERE video_id = $1 AND file = $2'
/** Milliseconds between a running preparation's signs of life. */
const ALIVE_MS = 60_000

const FAILED = `
  UPDATE video_download SET failures = (failures + 1) % $3, preparing_at = CASE WHEN failures + 1 < $3 THEN service_now() END,
    failed_at = CASE WHEN failures + 1 = $3 THEN service_now() END
  WHERE video_id = $1 AND file = $2 RETURNING failed_at IS NOT NULL AS "isLast"`
/** Attempts before callers are refused. */
const ATTEMPTS = 3

/**
 * Creates and stores a rendition's MP4, unless it is stored, and removes the one that it replaces. Runs as the job `download.prepare`; any
 * number of runs has the same result. Creates none for a video that was deleted in the meantime, or if the MP4 alone exceeds the account's
 * limit. The last of `ATTEMPTS` failures ends the job.
 */
export async function prepareDownload(
  { videoId, quality, codec = 'h264' }: { videoId: string; quality: string; codec?: Codec | undefined },
  signal: AbortSignal,
): Promise<void> {
  const rendition = await renditionFile(videoId, { quality, codec })
  if (!rendition) return
  const file = renditionName({ quality, codec })
  const late = (error: unknown) =>
    log().warn({ err: error, videoId }, 'could not record that a download is being prepared; retrying within a minute')
  const alive = setInterval(() => void query('download-alive', ALIVE, [videoId, file]).catch(late), ALIVE_MS)
  try {
    await prepare(rendition, { videoId, file }, signal)
  } catch (error) {
    // An interrupted job continues elsewhere.
    if (signal.aborted) throw error
    log().error({ err: error, videoId, file }, 'could not create an MP4 for download')
    const [row] = await query<{ isLast: boolean }>('download-failed', FAILED, [videoId, file, ATTEMPTS])
    if (row && !row.isLast) throw error
  } finally {
    clearInterval(alive)
  }
}

async function prepare(
  { accountId, mediaId, name, input }: RenditionFile,
  { videoId, file }: { videoId: string; file: string },
  signal: AbortSignal,
) {
  const key = downloadKey(mediaId, name)
  const fits = async (bytes: number): Promise<boolean> => {
    for (;;) {
      const room = await makeRoom(accountId, { videoId, file, name, bytes })
      if (room !== 'waits') return room === 'taken'
      await wait(ROOM_MS, undefined, { signal })
    }
  }
  // A killed worker may already have stored one.
  let stored = await storage().stat(key)
  if (stored && !(await fits(stored.bytes))) return storage().delete(key)
  if (!stored) {
    const guard = new SpaceGuard()
    const folder = await makeTemporaryFolder('download', `${videoId}-${file}`)
    try {
      const running = AbortSignal.any([signal, guard.signal])
      const { path, bytes } = await remuxToMp4(input, folder, running)
      if (!(await fits(bytes))) return
      await storage().putFile(key, path, HEADERS)
    } finally {
      guard.stop()
      await removeWorkFolder(folder)
    }
    stored = await storage().stat(key)
  }
  if (!stored) throw new Error(`The MP4 ${key} was not stored.`)
  const values = [videoId, file, mediaId, name, stored.bytes]
  const [before] = await query<{ mediaId: string | null; name: string | null }>('download-stored', STORED, values)
  // Without a row, the video is being deleted, and its purge may already have searched the storage.
  if (!before) await storage().delete(key)
  else if (before.mediaId && before.name && before.name !== name) await storage().delete(downloadKey(before.mediaId, before.name))
}

/** Milliseconds between checks for room that the account's other files take while they are stored. */
const ROOM_MS = 1_000
