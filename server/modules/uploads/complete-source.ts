import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { megabytes } from '../../platform/megabytes.ts'
import { storage } from '../../platform/storage/storage.ts'
import { record } from '../audit/record.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { dropReplacement } from '../videos/drop-replacement.ts'
import { sourceKey } from '../videos/media-keys.ts'
import { createMedia } from '../videos/queue-media.ts'
import { REPLACEMENT_FAILURES } from '../videos/replacement-schema.ts'
import { completeDirect, failDirect } from './direct/direct-rows.ts'
import { isDirectId } from './direct/direct-url.ts'
import { type UploadInfo, uploadGone, uploadPlace } from './resumable/place.ts'
import { isStored } from './stored-original.ts'

/** The owner and the actor of a change. */
type Who = Pick<AccountCtx, 'accountId' | 'actor'>

/**
 * Queues a fully received file for transcoding as the new source of a video, in place of one that is not complete yet. Safe to repeat. Errors:
 * NOT_FOUND once the upload has ended otherwise; UPLOAD_FAILED when the video was deleted or taken down, and the upload ends.
 */
export async function createReplacement(who: Who, ticket: UploadInfo, bytes: number, replaces: string): Promise<void> {
  const { accountId, videoId } = ticket
  const isQueued = await db().$transaction(async (tx) => {
    if (!(await uploadPlace().hold(tx, ticket.id))) throw uploadGone()
    const [video] = await tx.$queryRaw<{ sourceName: string }[]>`
      SELECT m.source_name AS "sourceName" FROM video v JOIN media m ON m.id = v.media_id
      WHERE v.id = ${replaces} AND v.account_id = ${accountId} AND v.deleted_at IS NULL AND v.taken_down_at IS NULL FOR UPDATE OF v`
    if (await isStored(tx, videoId)) return true
    const isDirect = isDirectId(ticket.id)
    if (!video) return isDirect && !(await failDirect(tx, ticket.id, UNAVAILABLE, bytes))
    const importedFrom = isDirect ? await complete(tx, ticket.id, bytes) : null
    await dropReplacement(tx, { accountId, videoId: replaces }, { code: 'SUPERSEDED', reason: REPLACEMENT_FAILURES.SUPERSEDED })
    const { targetQuality, encrypted, filename } = ticket
    const source = { sourceKey: sourceKey(videoId), sourceBytes: BigInt(bytes), sourceName: filename }
    await createMedia(tx, { id: videoId, videoId: replaces, accountId, targetQuality, encrypted, ...source })
    await tx.upload.deleteMany({ where: { id: ticket.id } })
    const after = { sourceName: filename, targetQuality, encrypted, ...(importedFrom !== null && { importedFrom }) }
    await record(tx, who, { action: 'video.source', subject: replaces, before: { sourceName: video.sourceName }, after })
    await appendVideoLog(tx, replaces, 'upload', `Received “${filename}”, ${megabytes(bytes)}, as the new source.`)
    return true
  })
  if (isQueued) return
  await uploadPlace().remove(ticket.id)
  await storage().delete(sourceKey(videoId))
  throw new ServiceError('UPLOAD_FAILED', {
    message: UNAVAILABLE.reason,
    details: { failureCode: UNAVAILABLE.code, failureReason: UNAVAILABLE.reason },
  })
}

/** Ends an upload of the API. Returns host and path of an import. Errors: NOT_FOUND once it has ended otherwise. */
async function complete(tx: Tx, id: string, bytes: number): Promise<string | null> {
  const completed = await completeDirect(tx, id, bytes)
  if (!completed) throw uploadGone()
  return completed.importedFrom
}

const UNAVAILABLE = { code: 'VIDEO_UNAVAILABLE', reason: REPLACEMENT_FAILURES.VIDEO_UNAVAILABLE } as const
