import { query } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { despiteFailures } from '../../../platform/despite-failures.ts'
import { resumeUpload } from '../resumable/sweep.ts'
import { endWithout } from './cancel-direct.ts'
import { readDirect } from './direct-rows.ts'
import { EXPIRED } from './list-direct.ts'

/** Days that an ended upload can still be requested. */
export const ENDED_UPLOAD_DAYS = 30

/** Ends expired API uploads, and deletes those that ended long ago. Runs as the job `upload.expire`. */
export async function expireDirectUploads(signal: AbortSignal): Promise<void> {
  const expired = await query<{ id: string }>(
    'expired-uploads',
    `SELECT id FROM direct_upload WHERE state = 'open' AND expires_at <= service_now() ORDER BY expires_at LIMIT 1000`,
    [],
  )
  const isOver = `state <> 'open' AND ended_at < service_now() - make_interval(days => $1)`
  await deleteInSlices('direct_upload', isOver, [ENDED_UPLOAD_DAYS], signal)
  await despiteFailures(expired, { signal, facts: ({ id }) => ({ upload: id }) }, ({ id }) => endExpired(id))
}

/** Ends an expired open upload. One whose process stopped with all bytes received becomes a video. */
export async function endExpired(id: string): Promise<void> {
  const row = await readDirect(id)
  if (row && !(await resumeUpload(id))) await endWithout(row, { code: 'EXPIRED', reason: EXPIRED })
}
