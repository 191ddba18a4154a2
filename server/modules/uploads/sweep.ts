import { isServiceError } from '../../errors.ts'
import { env } from '../../platform/config.ts'
import { db } from '../../platform/database.ts'
import { log } from '../../platform/log.ts'
import { completeUpload } from './complete.ts'
import { folderName, listUploads, readTicket, receivedBytes, removeUpload } from './folder.ts'

/**
 * Goes through the uploads of this machine's folder: completes those that are whole (we stopped between their last byte and their
 * video), removes those without a byte for UPLOAD_EXPIRY_HOURS, which makes room for others of their account. Runs as the job
 * `upload.sweep`.
 */
export async function sweepUploads(signal: AbortSignal): Promise<void> {
  const longest = env().UPLOAD_EXPIRY_HOURS * 3_600_000
  for await (const { id, changedAt } of listUploads()) {
    signal.throwIfAborted()
    if (!(await resume(id)) && Date.now() - changedAt.getTime() > longest) await removeUpload(id)
  }
  await forgetLost()
}

/**
 * Rows of uploads whose bytes are nowhere: we stopped between the one and the other. What began just now may still be between them; of
 * another folder we know nothing, and after a week nobody comes back for it.
 */
async function forgetLost(): Promise<void> {
  const rows = await db().$queryRaw<{ id: string; gone: boolean }[]>`
    SELECT id, folder <> ${await folderName()} AS gone FROM upload WHERE begun_at < service_now() - CASE
      WHEN folder <> ${await folderName()} THEN interval '7 days' ELSE interval '1 hour' END`
  for (const { id, gone } of rows) if (gone || (await receivedBytes(id)) === undefined) await db().upload.deleteMany({ where: { id } })
}

/** Completes a whole upload. True when there was one. */
async function resume(id: string): Promise<boolean> {
  const ticket = await readTicket(id)
  const received = await receivedBytes(id)
  if (!ticket || received === undefined || received !== ticket.size) return false
  try {
    await completeUpload({ kind: 'system' }, ticket)
  } catch (error) {
    // Refused and removed: the client has been told, or is gone.
    if (!isServiceError(error)) throw error
    log().info({ upload: id, reason: error.message }, 'an upload was refused')
  }
  return true
}
