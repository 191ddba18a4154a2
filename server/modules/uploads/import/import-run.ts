import type { AccountCtx } from '../../../context.ts'
import { isServiceError, ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isHeld, leases, newLease } from '../../../platform/leases.ts'
import type { Resolve } from '../../../platform/network/look-up-name.ts'
import { ssrfSafeAgent } from '../../../platform/network/ssrf-safe-agent.ts'
import { log } from '../../../platform/observe/log.ts'
import { stallSec } from '../bounds.ts'
import { completeUpload } from '../complete.ts'
import { endWithout } from '../direct/cancel-direct.ts'
import { type DirectRow, readDirect } from '../direct/direct-rows.ts'
import { actorOf, openTicket } from '../direct/open-direct.ts'
import { MAX_ATTEMPTS } from '../failure-schema.ts'
import { uploadGone, uploadPlace } from '../resumable/place.ts'
import { withUploadLock } from '../resumable/upload-lock.ts'
import { type ImportFailure, runFailure } from './import-failure.ts'
import { countAttempt, filenameOf, noteRetry, RUN, takeSource } from './import-rows.ts'
import { ImportReader } from './import-source.ts'
import { transfer } from './import-transfer.ts'

const FIRST_DELAY_SEC = 5
const SUSPENDED_DELAY_SEC = 600

/**
 * Downloads an import's file from where the last run ended, and completes it. A failure of the source ends the import, or enqueues another
 * run; a run that was interrupted or hit a fault of this service rejects. Runs as the job `upload.import`.
 */
export async function runImport(uploadId: string, stopping: AbortSignal, resolve?: Resolve): Promise<void> {
  const row = await readDirect(uploadId)
  const lease = newLease()
  const source = row?.state === 'open' ? await takeSource(uploadId, lease) : undefined
  if (!row || !source) return
  const lost = new AbortController()
  const onLost = () => lost.abort(new Error('The import has ended, or another run is continuing it.'))
  const drop = leases().keep(RUN, lease, { onLost })
  const patienceMs = stallSec() * 1_000
  const agent = ssrfSafeAgent({ connections: 1, patienceMs, allowed: 'IMPORT_ALLOWED_HOSTS', ...(resolve && { resolve }) })
  try {
    if (row.isSuspended) throw new ServiceError('ACCOUNT_SUSPENDED')
    const signal = AbortSignal.any([stopping, lost.signal])
    const filename = filenameOf(source.url)
    await openTicket(row, filename)
    const run = { row, lease, filename, validator: source.validator, reader: new ImportReader(source.url, agent, signal), signal }
    await withUploadLock(
      uploadId,
      () => transfer(run),
      () => lost.abort(new Error('Another request is continuing this upload.')),
    )
    const ticket = await uploadPlace().ticket(uploadId)
    if (!ticket) throw uploadGone()
    await completeUpload(actorOf(row), ticket)
  } catch (error) {
    stopping.throwIfAborted()
    await settle(row, lease, error)
  } finally {
    drop()
    await agent.destroy()
  }
}

/** Decides what follows from the error that ended a run. */
async function settle(row: DirectRow, lease: string, error: unknown): Promise<void> {
  if (!(await isHeld(RUN, lease))) return removeIfEnded(row.id)
  if (isServiceError(error) && error.code === 'ACCOUNT_SUSPENDED') return postpone(row, SUSPENDED_DELAY_SEC)
  const failure = runFailure(error)
  if (!failure) throw error
  const about = { upload: row.id, source: row.importedFrom, code: failure.code }
  if (failure.isRetried && (await tryAgain(row, lease, failure))) return log().info(about, 'retrying an import')
  log().info(about, 'an import failed')
  await endWithout(row, failureOf(failure))
}

const failureOf = ({ code, message }: ImportFailure) => ({ code, reason: message })

/** Removes what a run wrote after its import was cancelled. */
async function removeIfEnded(id: string): Promise<void> {
  const state = (await readDirect(id))?.state
  if (state === 'failed' || state === 'expired') await withUploadLock(id, () => uploadPlace().remove(id))
}

const groupOf = ({ accountId }: Pick<AccountCtx, 'accountId'>) => ({ group: accountId })

async function postpone(row: DirectRow, afterSec: number): Promise<void> {
  await db().$transaction((tx) => enqueue(tx, JOBS['upload.import'], { uploadId: row.id }, { ...groupOf(row), afterSec }))
}

/** Enqueues another run. Returns false after too many without progress. */
async function tryAgain(row: DirectRow, lease: string, failure: ImportFailure): Promise<boolean> {
  const received = (await uploadPlace().received(row.id)) ?? 0
  return db().$transaction(async (tx) => {
    const attempts = await countAttempt(tx, lease, received)
    // Another run continues.
    if (attempts === undefined) return true
    if (attempts >= MAX_ATTEMPTS) return false
    const afterSec = FIRST_DELAY_SEC * 2 ** (attempts - 1)
    await noteRetry(tx, row.id, { ...failureOf(failure), afterSec })
    await enqueue(tx, JOBS['upload.import'], { uploadId: row.id }, { ...groupOf(row), afterSec })
    return true
  })
}
