import type { AccountId } from '../../context.ts'
import { query, type Runner, type Tx } from '../../platform/database.ts'
import { emit } from '../webhooks/emit.ts'
import type { CreateUploadInput } from './direct-schema.ts'

/** Fields of the future video. */
export type DirectFields = Pick<CreateUploadInput, 'title' | 'description' | 'metadata' | 'externalId' | 'targetQuality' | 'encrypted'>

export type DirectState = 'open' | 'completed' | 'expired' | 'failed'

export interface DirectRow {
  id: string
  accountId: AccountId
  keyId: string
  requestHash: Buffer | null
  fields: DirectFields
  maxBytes: number
  allowedOrigin: string | null
  createdAt: Date
  expiresAt: Date
  isExpired: boolean
  state: DirectState
  /** Once it has ended. */
  receivedBytes: number | null
  /** The future video. */
  videoId: string
  failureCode: string | null
  failureReason: string | null
  isSuspended: boolean
}

const COLUMNS = `
  d.id, d.account_id AS "accountId", d.key_id AS "keyId", d.request_hash AS "requestHash", d.fields, d.max_bytes::float8 AS "maxBytes",
  d.allowed_origin AS "allowedOrigin", d.created_at AS "createdAt", d.expires_at AS "expiresAt", d.expires_at <= service_now() AS "isExpired",
  d.state, d.received_bytes::float8 AS "receivedBytes", d.video_id AS "videoId", d.failure_code AS "failureCode",
  d.failure_reason AS "failureReason", a.suspended_at IS NOT NULL AS "isSuspended"`

/** Returns an upload whose URL proves the right to it. */
export async function readDirect(id: string): Promise<DirectRow | undefined> {
  const sql = `SELECT ${COLUMNS} FROM direct_upload d JOIN account a ON a.id = d.account_id WHERE d.id = $1 AND a.deleted_at IS NULL`
  const [row] = await query<DirectRow & Record<string, unknown>>('read-direct', sql, [id])
  return row
}

/** Returns an upload of an account. */
export async function readDirectOf(accountId: AccountId, id: string): Promise<DirectRow | undefined> {
  const sql = `SELECT ${COLUMNS} FROM direct_upload d JOIN account a ON a.id = d.account_id WHERE d.id = $1 AND d.account_id = $2`
  const [row] = await query<DirectRow & Record<string, unknown>>('read-direct-of', sql, [id, accountId])
  return row
}

/** Returns the upload that a request with this Idempotency-Key created; forgets one that is older than a day. */
export async function findByIdempotency(on: Runner, hash: Buffer): Promise<DirectRow | undefined> {
  const forget = `UPDATE direct_upload SET idempotency_hash = NULL
    WHERE idempotency_hash = $1 AND created_at < service_now() - interval '24 hours'`
  await query('forget-idempotent-upload', forget, [hash], on)
  const sql = `SELECT ${COLUMNS} FROM direct_upload d JOIN account a ON a.id = d.account_id WHERE d.idempotency_hash = $1`
  const [row] = await query<DirectRow & Record<string, unknown>>('idempotent-upload', sql, [hash], on)
  return row
}

export interface NewDirect extends Pick<DirectRow, 'id' | 'accountId' | 'keyId' | 'fields' | 'maxBytes' | 'videoId'> {
  allowedOrigin: string | undefined
  expiresInSec: number
  idempotencyHash: Buffer | undefined
  requestHash: Buffer | undefined
}

/** Inserts an open upload; returns when it expires. */
export async function insertDirect(on: Runner, row: NewDirect): Promise<Date> {
  const { id, accountId, keyId, fields, maxBytes, videoId, allowedOrigin, expiresInSec, idempotencyHash, requestHash } = row
  const values = [id, accountId, keyId, idempotencyHash ?? null, requestHash ?? null, JSON.stringify(fields), maxBytes]
  const [inserted] = await query<{ expiresAt: Date }>(
    'insert-direct',
    INSERT,
    [...values, allowedOrigin ?? null, expiresInSec, videoId],
    on,
  )
  return (inserted as { expiresAt: Date }).expiresAt
}

const INSERT = `
  INSERT INTO direct_upload (id, account_id, key_id, idempotency_hash, request_hash, fields, max_bytes, allowed_origin, created_at, expires_at,
    video_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, service_now(), service_now() + make_interval(secs => $9), $10)
  RETURNING expires_at AS "expiresAt"`

/** Marks an open upload as completed. Returns the fields of its video; undefined when it is not open any more. */
export async function completeDirect(tx: Tx, id: string, receivedBytes: number): Promise<DirectFields | undefined> {
  const [row] = await tx.$queryRaw<{ fields: DirectFields }[]>`
    UPDATE direct_upload SET state = 'completed', ended_at = service_now(), received_bytes = ${receivedBytes}
    WHERE id = ${id} AND state = 'open' RETURNING fields`
  return row?.fields
}

/** Why an upload ended without a video. */
export interface Failure {
  code: 'CANCELLED' | 'EXPIRED' | 'NOT_A_VIDEO' | 'EMPTY_FILE'
  reason: string
}

/** Marks an open upload as failed or expired, and emits its event. Returns false when it is not open any more. */
export async function failDirect(tx: Tx, id: string, { code, reason }: Failure, receivedBytes: number): Promise<boolean> {
  const state = code === 'EXPIRED' ? 'expired' : 'failed'
  const [row] = await tx.$queryRaw<{ accountId: string; fields: DirectFields }[]>`
    UPDATE direct_upload SET state = ${state}, ended_at = service_now(), received_bytes = ${receivedBytes}, failure_code = ${code},
      failure_reason = ${reason}
    WHERE id = ${id} AND state = 'open' RETURNING account_id AS "accountId", fields`
  if (!row) return false
  const data = { uploadId: id, code, reason, externalId: row.fields.externalId ?? null }
  await emit(tx, row.accountId, 'upload.failed', data, { dedupeKey: id })
  return true
}
