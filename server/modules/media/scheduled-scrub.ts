import { query } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import { storageLocation } from '../../platform/storage/s3-client.ts'
import { recordFault } from '../videos/media-faults.ts'
import { paceOf, scrubOne, storedMedia } from './scrub.ts'

/** Maximum read rate: a scrub must not compete with viewers. */
const BYTES_PER_SECOND = 50e6
const RUNS_A_DAY = 24
/** Days for one pass over a disk. Object stores verify their objects, and some charge for reading. */
const DISK_DAYS = 30

const DUE = `
  UPDATE installation SET scrub_due = least(scrub_due + stored.media / $1::float8, stored.media)
  FROM (SELECT count(*) AS media FROM media WHERE status = 'COMPLETED') AS stored
  RETURNING scrub_after AS after, scrub_due AS due`

/**
 * Scrubs the next media, so that all of it is read once within `days`, and requests repairs. 0: none. Stores its position after each, so
 * that an interrupted run continues. Runs hourly as the job `media.scrub`.
 */
export async function scrubDue(signal: AbortSignal, days = storageLocation() ? 0 : DISK_DAYS): Promise<void> {
  if (days === 0) return
  const [state] = await query<{ after: string; due: number }>('scrub-due', DUE, [days * RUNS_A_DAY])
  let { after, due } = state as { after: string; due: number }
  const pace = paceOf(BYTES_PER_SECOND, signal)
  for (; due >= 1; due--) {
    signal.throwIfAborted()
    const [media] = await storedMedia({ after, count: 1 })
    if (media) {
      const { faults } = await scrubOne(media, { signal, pace })
      for (const fault of faults) {
        log().error(fault, 'a stored object is damaged; requested its repair')
        await recordFault(fault, { repair: true })
      }
    }
    after = media?.id ?? ''
    await query('scrub-position', 'UPDATE installation SET scrub_after = $1, scrub_due = scrub_due - $2', [after, media ? 1 : 0])
    if (!media) return
  }
}
