import { isServiceError } from '../../errors.ts'
import { env } from '../../platform/config.ts'
import { db } from '../../platform/database.ts'
import { log } from '../../platform/log.ts'
import { completeUpload } from './complete.ts'
import { folderName, listUploads, readUploadInfo, receivedBytes, removeUpload } from './folder.ts'

/**
 * Processes the uploads of this machine's folder: completes those fully received (the process stopped before it created their
 * video), removes those without a new byte for UPLOAD_EXPIRY_HOURS, which releases their account's limits. Runs as the job
 * `upload.sweep`.
 */
export async function sweepUploads(signal: AbortSignal): Promise<void> {
  const longest = env().UPLOAD_EXPIRY_HOURS * 3_600_000
  for await (const { id, changedAt } of listUploads()) {
    signal.throwIfAborted()
    if (!(await resume(id)) && Date.now() - changedAt.getTime() > longest) await removeUpload(id)
  }
  await deleteOrphanedRows()
}

/**
 * Deletes rows of uploads without a file (the process stopped between the two). Recent uploads may not have their file yet; uploads
 * of another folder cannot be checked and are abandoned after a week.
 */
async function deleteOrphanedRows(): Promise<void> {
  const rows = await db().$queryRaw<{ id: string; gone: boolean }[]>`
    SELECT id, folder <> ${await folderName()} AS gone FROM upload WHERE started_at < service_now() - CASE
      WHEN folder <> ${await folderName()} THEN interval '7 days' ELSE interval '1 hour' END`
  for (const { id, gone } of rows) if (gone || (await receivedBytes(id)) === undefined) await db().upload.deleteMany({ where: { id } })
}

/** Completes a fully received upload. Returns whether it was one. */
async function resume(id: string): Promise<boolean> {
  const ticket = await readUploadInfo(id)
  const received = await receivedBytes(id)
  if (!ticket || received === undefined || received !== ticket.size) return false
  try {
    await completeUpload({ kind: 'system' }, ticket)
  } catch (error) {
    // Refused and removed; the client was already notified or has disconnected.
    if (!isServiceError(error)) throw error
    log().info({ upload: id, reason: error.message }, 'an upload was rejected')
  }
  return true
}
