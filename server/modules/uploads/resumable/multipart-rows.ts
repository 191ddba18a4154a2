import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { LEASE_END } from '../../../platform/leases.ts'

/** An upload in the object store. */
export interface MultipartRow {
  id: string
  /** The store's ID of the multipart upload. */
  storeId: string
  /** Announced bytes. */
  size: number | undefined
  metadata: Record<string, string | null>
  /** Bytes stored so far. */
  received: number
  /** Whether it is not a video yet. */
  isOpen: boolean
}

/** Received bytes in the order of `number`: a part of the multipart upload, or a separate object (a piece, without `etag`). */
export interface PartRow {
  number: number
  bytes: number
  etag: string | null
}

interface NewRow extends Pick<MultipartRow, 'id' | 'storeId' | 'size' | 'metadata'> {
  accountId: string
  /** Lease of the request that creates it. Undefined: none. */
  lease?: string | undefined
}

/** Inserts the row. Returns false if there is one. */
export async function insertMultipart({ id, accountId, storeId, size, metadata, lease }: NewRow): Promise<boolean> {
  const rows = await query('insert-multipart', INSERT, [id, accountId, storeId, size ?? null, JSON.stringify(metadata), lease ?? null])
  return rows.length > 0
}

/** Replaces what was received with an upload without bytes. Errors: CONFLICT if the lease is lost. */
export async function replaceMultipart({ id, storeId, size, metadata, lease }: Omit<NewRow, 'accountId'>): Promise<void> {
  requireLease(await query('replace-multipart', REPLACE, [id, lease, storeId, size ?? null, JSON.stringify(metadata)]))
}

export async function readMultipart(id: string): Promise<MultipartRow | undefined> {
  const [row] = await query<Omit<MultipartRow, 'size'> & { size: number | null }>('read-multipart', READ, [id])
  return row && { ...row, size: row.size ?? undefined }
}

export const readParts = (id: string): Promise<PartRow[]> =>
  query<PartRow & Record<string, unknown>>(
    'read-parts',
    'SELECT number, bytes::float8 AS bytes, etag FROM multipart_part WHERE upload_id = $1 ORDER BY number',
    [id],
  )

/** Sets the announced bytes of an upload that had none. Errors: CONFLICT if the lease is lost. */
export async function setSize(id: string, lease: string, size: number): Promise<void> {
  requireLease(
    await query('size-multipart', 'UPDATE multipart_upload SET size = $3 WHERE id = $1 AND lease_id = $2 RETURNING 1', [id, lease, size]),
  )
}

/** Returns a number that no other part or piece of the upload has or had. Errors: CONFLICT if the lease is lost. */
export async function takeNumber(id: string, lease: string, kind: 'part' | 'piece'): Promise<number> {
  const next = `next_${kind}`
  const sql = `UPDATE multipart_upload SET ${next} = ${next} + 1 WHERE id = $1 AND lease_id = $2 RETURNING ${next} - 1 AS number`
  return requireLease(await query<{ number: number }>(`number-${kind}`, sql, [id, lease])).number
}

/** Counts stored bytes as received, in place of the pieces that they contain. Errors: CONFLICT if the lease is lost. */
export async function recordPart(id: string, lease: string, part: PartRow, pieces: PartRow[]): Promise<void> {
  const replaced = pieces.map(({ number }) => number)
  requireLease(await query('record-part', RECORD, [id, lease, replaced, part.number, part.bytes, part.etag]))
}

/** A lost lease matches no row. */
function requireLease<Row>(rows: Row[]): Row {
  const [row] = rows
  if (!row) throw new ServiceError('CONFLICT', { message: 'Another connection is continuing this upload.' })
  return row
}

const INSERT = `
  INSERT INTO multipart_upload (id, account_id, store_id, size, metadata, lease_id, leased_until)
  VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $6::uuid IS NOT NULL THEN ${LEASE_END} END)
  ON CONFLICT (id) DO NOTHING RETURNING 1`
const REPLACE = `
  WITH held AS (UPDATE multipart_upload SET store_id = $3, size = $4, metadata = $5, next_part = 1, changed_at = service_now()
    WHERE id = $1 AND lease_id = $2 RETURNING id),
  gone AS (DELETE FROM multipart_part WHERE upload_id IN (SELECT id FROM held))
  SELECT 1 FROM held`
const RECEIVED = '(SELECT coalesce(sum(p.bytes), 0) FROM multipart_part p WHERE p.upload_id = m.id)'
const IS_OPEN = 'EXISTS (SELECT FROM upload u WHERE u.id = m.id)'
const READ = `
  SELECT id, store_id AS "storeId", size::float8 AS size, metadata, ${RECEIVED}::float8 AS received,
    ${IS_OPEN} AS "isOpen"
  FROM multipart_upload m WHERE id = $1`
const RECORD = `
  WITH held AS (UPDATE multipart_upload SET changed_at = service_now() WHERE id = $1 AND lease_id = $2 RETURNING id),
  replaced AS (DELETE FROM multipart_part WHERE upload_id IN (SELECT id FROM held) AND number = ANY($3::int[]))
  INSERT INTO multipart_part (upload_id, number, bytes, etag) SELECT id, $4, $5, $6 FROM held RETURNING 1`
