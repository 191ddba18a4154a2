import type { AccountId } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { query, type Runner, type Tx } from '../../../platform/database/database.ts'
import type { SealedColumn } from '../../../platform/database/reseal.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { type LeaseKind, takeLease } from '../../../platform/leases.ts'
import { seal, unseal } from '../../../platform/secrets/seal.ts'

/** What an import needs besides its upload's row. */
export interface ImportSource {
  url: string
  /** ETag or Last-Modified of the bytes received so far. */
  validator: string | null
}

/** The column of sealed URLs, for sealing them under a new master key. */
export const SEALED_IMPORT_URLS: SealedColumn = { table: 'upload_import', id: 'id', column: 'url', ownerOf: (id) => id }

/** Returns a URL's scheme, host and path. Its query may be a signature. */
export function shownSource(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** Returns the last segment of a URL's path, as its file's name. */
export function filenameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    // Not UTF-8.
    return last
  }
}

/** Stores new imports' URLs, sealed, and enqueues their download. Leaves out uploads without a URL. */
export async function insertSources(on: Runner, rows: { id: string; accountId: AccountId; url?: string }[]): Promise<void> {
  for (const { id, accountId, url } of rows) {
    if (url === undefined) continue
    const sealed = seal(Buffer.from(url), id)
    await query('insert-import', 'INSERT INTO upload_import (id, url) VALUES ($1, $2)', [id, sealed], on)
    await enqueue(on, JOBS['upload.import'], { uploadId: id }, { group: accountId })
  }
}

/** The run that may write: the last one that began, while the upload is open and has not expired. */
export const RUN: LeaseKind = {
  table: 'upload_import',
  rows: 'id = $1',
  set: 'retry_at = NULL',
  live: "EXISTS (SELECT FROM direct_upload d WHERE d.id = upload_import.id AND d.state = 'open' AND d.expires_at > service_now())",
  yields: true,
}

/** Makes a run the only one that may write. Returns its source; undefined when the import has ended. */
export async function takeSource(id: string, lease: string): Promise<ImportSource | undefined> {
  await takeLease(RUN, lease, [id])
  const sql = 'SELECT url, validator FROM upload_import WHERE lease_id = $1'
  const [row] = await query<{ url: Buffer; validator: string | null }>('import-source', sql, [lease])
  return row && { url: unseal(row.url, id).toString(), validator: row.validator }
}

/** Stores the validator of a source whose bytes are received from the start. */
export async function setValidator(lease: string, validator: string | null): Promise<void> {
  await query('validate-import', 'UPDATE upload_import SET validator = $2 WHERE lease_id = $1', [lease, validator])
}

/** A run counts as progress from this many bytes beyond all earlier runs. */
const PROGRESS_BYTES = 1024 ** 2

/** Counts a failed run. Returns the number of runs without progress, including this one. Undefined if it may no longer write. */
export async function countAttempt(tx: Tx, lease: string, received: number): Promise<number | undefined> {
  const [row] = await tx.$queryRaw<{ attempts: number }[]>`
    UPDATE upload_import SET attempts = CASE WHEN ${received} >= progress + ${PROGRESS_BYTES} THEN 1 ELSE attempts + 1 END,
      progress = greatest(progress, ${received})
    WHERE lease_id = ${lease} RETURNING attempts`
  return row?.attempts
}

/** Stores, for the owner, why a run failed and when the next one starts. */
export async function noteRetry(
  tx: Tx,
  id: string,
  { code, reason, afterSec }: { code: string; reason: string; afterSec: number },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE upload_import SET failure_code = ${code}, failure_reason = ${reason}, failed_at = service_now(),
      retry_at = service_now() + make_interval(secs => ${afterSec}) WHERE id = ${id}`
}

/** Deletes an ended import's URL. */
export const forgetSource = (tx: Tx, id: string) => tx.uploadImport.deleteMany({ where: { id } })
