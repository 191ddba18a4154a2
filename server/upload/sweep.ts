import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { log } from '../infra/log.ts'
import { completeUpload } from './complete.ts'
import { isUploadId, readTicket, receivedBytes, removeUpload, uploadFolder } from './folder.ts'

/**
 * Goes through the uploads of this machine: completes those that are whole (we stopped between their last byte and their
 * video), removes those without a byte for UPLOAD_EXPIRY_HOURS, which makes room for others of their account. Runs as the job
 * `upload.sweep`.
 */
export async function sweepUploads(signal: AbortSignal): Promise<void> {
  for (const name of await readdir(uploadFolder()).catch(() => [])) {
    signal.throwIfAborted()
    const id = name.replace(/\.json$/, '')
    if (!isUploadId(id) || (await resume(id))) continue
    const path = join(uploadFolder(), name)
    const found = await stat(path).catch(() => undefined)
    const expired = found && Date.now() - found.mtimeMs > env().UPLOAD_EXPIRY_HOURS * 3_600_000
    // A ticket is written once; what counts is when the last byte came.
    if (expired && (name === id || (await receivedBytes(id)) === undefined))
      await (name === id ? removeUpload(id) : rm(path, { force: true }))
  }
  await forgetLost()
}

/** Rows of uploads whose bytes are nowhere: we stopped between the one and the other. What began just now may still be between them. */
async function forgetLost(): Promise<void> {
  const rows = await db().$queryRaw<{ id: string }[]>`SELECT id FROM upload WHERE begun_at < service_now() - interval '1 hour'`
  for (const { id } of rows) if ((await receivedBytes(id)) === undefined) await db().upload.deleteMany({ where: { id } })
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
