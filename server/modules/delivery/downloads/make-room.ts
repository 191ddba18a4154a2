import type { AccountId } from '../../../context.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { accountLimit } from '../../identity/accounts/limit.ts'
import { downloadKey } from '../../videos/media-keys.ts'

/** Seconds after which a preparation without a sign of life counts as lost: its room is freed, and it is requested again. */
export const LOST_SEC = 900

interface StoredFile {
  videoId: string
  file: string
  mediaId: string
  name: string
  bytes: number
}

/** `waits` while the account's other files take the room; `gone` if the video is being deleted. */
export type Room = 'taken' | 'too-large' | 'waits' | 'gone'

/**
 * Takes room for an MP4 of `bytes` among its account's files, and removes the least recently requested ones until it fits. An account's
 * files, and those that jobs are storing, never exceed its limit together.
 */
export async function makeRoom(
  accountId: AccountId,
  { videoId, file, name, bytes }: { videoId: string; file: string; name: string; bytes: number },
): Promise<Room> {
  const { room, removed } = await db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('downloads ' || ${accountId}))`
    const limit = await accountLimit(accountId, 'downloadBytes', tx)
    const fits = bytes <= limit
    const others = fits ? await otherFiles(tx, accountId, { videoId, file, name }) : undefined
    const free = limit - bytes - (others?.pendingBytes ?? 0)
    if (fits && free < 0) return { room: 'waits' as const, removed: [] }
    const known = await tx.$executeRaw`
      UPDATE video_download SET pending_name = ${name}, pending_bytes = ${bytes}, preparing_at = CASE WHEN ${fits} THEN service_now() END
      WHERE video_id = ${videoId} AND file = ${file}`
    if (known === 0) return { room: 'gone' as const, removed: [] }
    if (!others) return { room: 'too-large' as const, removed: [] }
    const removed = longestUnrequested(others.files, free)
    for (const one of removed)
      await tx.$executeRaw`
        UPDATE video_download SET media_id = NULL, name = NULL, bytes = NULL WHERE video_id = ${one.videoId} AND file = ${one.file}`
    return { room: 'taken' as const, removed }
  })
  // The rows first: a request in between creates the file again.
  for (const one of removed) await storage().delete(downloadKey(one.mediaId, one.name))
  return room
}

interface ListedFile extends Omit<StoredFile, 'mediaId' | 'name'> {
  /** Null if there is none, like `name`. */
  mediaId: string | null
  name: string | null
  pending: number
  isOwn: boolean
}

/** Reads the account's other files, least recently requested first, and locks their rows. */
async function otherFiles(
  tx: Tx,
  accountId: AccountId,
  own: { videoId: string; file: string; name: string },
): Promise<{ files: StoredFile[]; pendingBytes: number }> {
  const rows = await tx.$queryRaw<ListedFile[]>`
    SELECT d.video_id AS "videoId", d.file, d.media_id AS "mediaId", d.name, coalesce(d.bytes, 0)::float8 AS bytes,
      (CASE WHEN d.preparing_at > service_now() - make_interval(secs => ${LOST_SEC}) THEN coalesce(d.pending_bytes, 0) ELSE 0 END)::float8
        AS pending,
      d.video_id = ${own.videoId} AND d.file = ${own.file} AS "isOwn"
    FROM video_download d WHERE d.video_id IN (SELECT id FROM video WHERE account_id = ${accountId})
      AND (d.name IS NOT NULL OR d.pending_name IS NOT NULL)
    ORDER BY d.requested_at, d.video_id, d.file FOR UPDATE OF d`
  const files = rows.filter((row) => row.name !== null && !(row.isOwn && row.name === own.name)) as StoredFile[]
  return { files, pendingBytes: rows.reduce((sum, { pending, isOwn }) => sum + (isOwn ? 0 : pending), 0) }
}

/** Returns the first of `files` without which the rest has at most `room` bytes. */
function longestUnrequested(files: StoredFile[], room: number): StoredFile[] {
  let kept = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const removed: StoredFile[] = []
  for (const file of files) {
    if (kept <= room) break
    kept -= file.bytes
    removed.push(file)
  }
  return removed
}

/** Returns the bytes of an account's MP4 files. */
export async function downloadBytes(accountId: AccountId): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    'download-bytes',
    `SELECT coalesce(sum(d.bytes), 0)::float8 AS bytes FROM video_download d JOIN video v ON v.id = d.video_id WHERE v.account_id = $1`,
    [accountId],
  )
  return row?.bytes ?? 0
}
