import { isServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { despiteFailures } from '../../../platform/despite-failures.ts'
import { log } from '../../../platform/observe/log.ts'
import { abortMultipart } from '../../../platform/storage/s3-multipart.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { sourceKey } from '../../videos/media-keys.ts'
import { UNFINISHED_HOURS } from '../bounds.ts'
import { completeUpload } from '../complete.ts'
import { readDirect } from '../direct/direct-rows.ts'
import { isDirectId } from '../direct/direct-url.ts'
import { actorOf } from '../direct/open-direct.ts'
import { uploadInfoFields } from '../schema.ts'
import { piecePrefix } from './part-writer.ts'
import { uploadPlace } from './place.ts'

const DAY_MS = 86_400_000

/**
 * Processes the uploads in this machine's folder, or in the object store: completes those fully received (the process stopped before it
 * created their video), and removes those without a new byte for UNFINISHED_HOURS, which frees their account's limits. Runs as the job
 * `upload.sweep`.
 */
export async function sweepUploads(signal: AbortSignal): Promise<void> {
  const place = uploadPlace()
  const longest = UNFINISHED_HOURS * 3_600_000
  const each = despiteFailures(place.list(), { signal, facts: ({ id }) => ({ upload: id }) }, async ({ id, idleMs }) => {
    const direct = isDirectId(id) ? await readDirect(id) : undefined
    const isOver = isDirectId(id) && direct?.state !== 'open'
    if (!isOver && (await resumeUpload(id))) return
    // An open API upload ends when it expires (expire-direct.ts).
    if (idleMs > longest && (isOver || !direct)) await place.remove(id)
  })
  await each.finally(() => place.sweep(signal, DAY_MS))
}

/** Completes a fully received upload. Returns whether it was one. */
export async function resumeUpload(id: string): Promise<boolean> {
  const ticket = await uploadPlace().ticket(id)
  const received = await uploadPlace().received(id)
  if (!ticket || received === undefined || received !== ticket.size) return false
  try {
    const direct = isDirectId(id) ? await readDirect(id) : undefined
    await completeUpload(direct ? actorOf(direct) : { kind: 'system' }, ticket)
  } catch (error) {
    // Refused and removed; the client was already notified or has disconnected.
    if (!isServiceError(error)) throw error
    log().info({ upload: id, reason: error.message }, 'rejected an upload')
  }
  return true
}

/**
 * Removes an upload from the database and the object store, but not a video's original: completing an upload holds its row
 * (`holdMultipart`), so it creates no video once the row is removed.
 */
export async function removeMultipart(id: string): Promise<void> {
  const removed = await db().$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ store_id: string; metadata: unknown }[]>`
      SELECT store_id, metadata FROM multipart_upload WHERE id = ${id} FOR UPDATE`
    await tx.upload.deleteMany({ where: { id } })
    if (!row) return undefined
    await tx.multipartUpload.delete({ where: { id } })
    const { videoId } = uploadInfoFields.parse(row.metadata)
    return {
      storeId: row.store_id,
      key: sourceKey(videoId),
      isVideo: (await tx.media.count({ where: { id: videoId } })) > 0,
    }
  })
  await storage().deletePrefix(piecePrefix(id))
  if (!removed || removed.isVideo) return
  await abortMultipart(removed)
  await storage().delete(removed.key)
}
