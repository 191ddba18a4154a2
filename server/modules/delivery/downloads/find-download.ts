import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import type { ByteRange } from '../../../platform/storage/storage-port.ts'
import { downloadKey } from '../../videos/media-keys.ts'
import { SERVED } from '../../videos/owned-video.ts'
import { ORIGINAL, originalFile } from './create-download.ts'
import { verifyDownload } from './download-permit.ts'
import { mp4Name, originalName } from './filename.ts'

export interface DownloadFile {
  filename: string
  contentType: string
  bytes: number
  /** Strong, quoted. */
  etag: string
  read(range?: ByteRange): AsyncIterable<Uint8Array>
  /** Counts a response that starts with the first byte. */
  count(): Promise<void>
}

interface Row {
  title: string
  sourceName: string
  sourceKey: string
  mediaId: string | null
  name: string | null
  [column: string]: unknown
}

const FILE = `
  SELECT title, m.source_name AS "sourceName", m.source_key AS "sourceKey", d.media_id AS "mediaId", d.name
  FROM video JOIN media m ON m.id = video.media_id JOIN video_download d ON d.video_id = video.id AND d.file = $2
  WHERE video.id = $1 AND video.status = 'COMPLETED' AND ${SERVED}
    AND EXISTS (SELECT FROM account WHERE account.id = video.account_id AND account.downloads)`

/**
 * Returns a file by its signed URL. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, NOT_FOUND if the video was deleted or taken
 * down, its account was suspended or no longer allows downloads, or the file was replaced.
 */
export async function findDownload({ videoId, permit, file }: { videoId: string; permit: string; file: string }): Promise<DownloadFile> {
  verifyDownload(videoId, file, permit)
  const [, kind = '', name] = /^(original|(?:av1-)?\d{1,5}p)-([0-9a-f]{32})(?:\.mp4)?$/.exec(file) ?? []
  const [row] = await query<Row>('file-to-download', FILE, [videoId, kind])
  const key = row && keyOf(row, kind, name)
  const stored = key && (await storage().stat(key))
  if (!row || !key || !stored)
    throw new ServiceError('NOT_FOUND', { message: 'This file is no longer available. Request the download again.' })
  const isOriginal = kind === ORIGINAL
  return {
    filename: isOriginal ? await originalName(row, stored.bytes) : mp4Name(row.title, kind),
    contentType: isOriginal ? 'application/octet-stream' : 'video/mp4',
    bytes: stored.bytes,
    etag: `"${key.split('/').at(-1)}"`,
    read: (range) => storage().read(key, range),
    count: async () =>
      void (await query('download-begun', 'UPDATE video_download SET downloads = downloads + 1 WHERE video_id = $1 AND file = $2', [
        videoId,
        kind,
      ])),
  }
}

function keyOf({ sourceKey, mediaId, name: stored }: Row, kind: string, name: string | undefined): string | undefined {
  if (kind === ORIGINAL) return originalFile(sourceKey) === `${ORIGINAL}-${name}` ? sourceKey : undefined
  return mediaId && stored === name ? downloadKey(mediaId, stored as string) : undefined
}
