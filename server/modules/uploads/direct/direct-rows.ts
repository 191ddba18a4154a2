import type { AccountId } from '../../../context.ts'
import { query, type Runner, type Tx } from '../../../platform/database/database.ts'
import { emit } from '../../webhooks/endpoints/emit.ts'
import type { FailureCode, RETRIED } from '../failure-schema.ts'
import { forgetSource, insertSources, shownSource } from '../import/import-rows.ts'
import type { CreateUploadInput } from './direct-schema.ts'

/** Fields of the future video. */
export type DirectFields = Pick<
  CreateUploadInput,
  'title' | 'description' | 'metadata' | 'externalId' | 'collection' | 'targetQuality' | 'pictureQuality' | 'captions' | 'encrypted'
> & {
  /** The video whose source the file replaces, if it does not become a video. */
  replaces?: string
}

export type DirectState = 'open' | 'completed' | 'expired' | 'failed'

export interface DirectRow {
  id: string
  accountId: AccountId
  /** The key that created it. Null if a member did. */
  keyId: string | null
  userId: string | null
  /** Also null if that user no longer exists. */
  userEmail: string | null
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
  /** Scheme, host and path of an import, and whether its URL also had a query. */
  importedFrom: string | null
  hasQuery: boolean
  isSuspended: boolean
  /** For an import whose last run failed and that has another one coming. Times are ISO 8601. */
  retry: {
    failureCode: (typeof RETRIED)[number]
    failureReason: string
    failedAt: string
    attempts: number
    nextAttemptAt: string | null
  } | null
}

const COLUMNS = `
  d.id, d.account_id AS "accountId", d.key_id AS "keyId", d.user_id AS "userId",
  (SELECT email FROM app_user WHERE id = d.user_id) AS "userEmail", d.request_hash AS "requestHash", d.fields, d.max_bytes::float8 AS "maxBytes",
  d.allowed_origin AS "allowedOrigin", d.created_at AS "createdAt", d.expires_at AS "expiresAt", d.expires_at <= service_now() AS "isExpired",
  d.state, d.received_bytes::float8 AS "receivedBytes", d.video_id AS "videoId", d.failure_code AS "failureCode",
  d.failure_reason AS "failureReason", d.imported_from AS "importedFrom", d.has_query AS "hasQuery", a.suspended_at IS NOT NULL AS "isSuspended",
  (SELECT json_build_object('failureCode', i.failure_code, 'failureReason', i.failure_reason, 'failedAt', i.failed_at,
    'attempts', i.attempts, 'nextAttemptAt', i.retry_at) FROM upload_import i WHERE i.id = d.id AND i.failed_at IS NOT NULL) AS retry`

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

/** An upload's place in its account's list. */
export type UploadPosition = Pick<DirectRow, 'createdAt' | 'id'>

const AFTER = 'AND u.created_at <= $4 AND (u.created_at < $4 OR u.id > $5)'
const IN_ORDER = 'ORDER BY u.created_at DESC, u.id LIMIT $3'

// One index scan for each state of ended ones, each in list order, so that a rare state is found among many uploads. There are few open
// ones, found by their rows in `upload`.
const listStatement = (after: string) => `
  SELECT ${COLUMNS} FROM account a, (
    (SELECT u.* FROM upload o JOIN direct_upload u ON u.id = o.id AND u.state = 'open'
      WHERE 'open' = ANY ($2) AND o.account_id = $1 AND u.account_id = $1 ${after} ${IN_ORDER})
    UNION ALL
    SELECT ended.* FROM unnest($2::text[]) AS s (state), LATERAL (
      SELECT * FROM direct_upload u WHERE u.account_id = $1 AND u.state = s.state AND u.state <> 'open' ${after} ${IN_ORDER}) AS ended
  ) AS d
  WHERE a.id = $1 ORDER BY d.created_at DESC, d.id LIMIT $3`

/** Returns the account's uploads in these states after a position, newest first, then by ID. */
export function listDirectOf(accountId: AccountId, states: DirectState[], after: UploadPosition | undefined, limit: number) {
  const values = [accountId, states, limit]
  // The first page has its own statement, so that a later one's position limits the index scans.
  return after === undefined
    ? query<DirectRow & Record<string, unknown>>('list-direct', listStatement(''), values)
    : query<DirectRow & Record<string, unknown>>('list-direct-after', listStatement(AFTER), [...values, after.createdAt, after.id])
}

/** A caller's Idempotency-Key and the request sent with it, as hashes. */
export interface Once {
  hash: Buffer
  requestHash: Buffer
}

// After a day. For the same request, also once no video can come of the upload, or its video is deleted.
const IS_OVER = `(d.created_at < service_now() - interval '24 hours' OR d.request_hash = o.request_hash AND (d.state IN ('failed', 'expired')
  OR d.state = 'completed' AND NOT d.fields ? 'replaces' AND NOT EXISTS (SELECT FROM video v WHERE v.id = d.video_id AND v.deleted_at IS NULL)))`
const ONCE = 'unnest($1::bytea[], $2::bytea[]) AS o (hash, request_hash)'
const hashesOf = (onces: Once[]) => [onces.map(({ hash }) => hash), onces.map(({ requestHash }) => requestHash)]

/** Returns the uploads that requests with these Idempotency-Keys created. Forgets those that the same request should not get again. */
export async function findByIdempotency(on: Runner, onces: Once[]): Promise<(DirectRow & { idempotencyHash: Buffer })[]> {
  if (onces.length === 0) return []
  const forget = `UPDATE direct_upload d SET idempotency_hash = NULL FROM ${ONCE} WHERE d.idempotency_hash = o.hash AND ${IS_OVER}`
  await query('forget-idempotent-uploads', forget, hashesOf(onces), on)
  const sql = `SELECT ${COLUMNS}, d.idempotency_hash AS "idempotencyHash" FROM direct_upload d JOIN account a ON a.id = d.account_id
    WHERE d.idempotency_hash = ANY($1)`
  return query<DirectRow & { idempotencyHash: Buffer } & Record<string, unknown>>(
    'idempotent-uploads',
    sql,
    [onces.map(({ hash }) => hash)],
    on,
  )
}

/** Returns whether a request gets an upload that was created before. */
export async function isRepeated(once: Once): Promise<boolean> {
  const sql = `SELECT 1 FROM direct_upload d, ${ONCE} WHERE d.idempotency_hash = o.hash AND NOT ${IS_OVER}`
  return (await query('is-repeated-upload', sql, hashesOf([once]))).length > 0
}

export interface NewDirect extends Pick<DirectRow, 'id' | 'accountId' | 'fields' | 'maxBytes' | 'videoId'> {
  creator: { keyId: string } | { userId: string }
  allowedOrigin: string | undefined
  expiresInSec: number
  once: Once | undefined
  /** For an import: where the file is. */
  url?: string
}

/** Inserts open uploads. Returns when they expire. */
export async function insertDirect(on: Runner, rows: NewDirect[]): Promise<{ id: string; expiresAt: Date }[]> {
  const values = rows.map(({ creator, once, url, ...row }) => ({
    ...row,
    ...creator,
    idempotencyHash: once?.hash.toString('hex'),
    requestHash: once?.requestHash.toString('hex'),
    ...(url !== undefined && { importedFrom: shownSource(url), hasQuery: new URL(url).search !== '' }),
  }))
  const inserted = await query<{ id: string; expiresAt: Date }>('insert-direct', INSERT, [JSON.stringify(values)], on)
  await insertSources(on, rows)
  return inserted
}

const INSERT = `
  INSERT INTO direct_upload (id, account_id, key_id, user_id, idempotency_hash, request_hash, fields, max_bytes, allowed_origin, created_at, expires_at,
    video_id, imported_from, has_query)
  SELECT id, "accountId", "keyId", "userId", decode("idempotencyHash", 'hex'), decode("requestHash", 'hex'), fields, "maxBytes", "allowedOrigin",
    service_now(), service_now() + make_interval(secs => "expiresInSec"), "videoId", "importedFrom", coalesce("hasQuery", false)
  FROM json_to_recordset($1::json) AS n (id text, "accountId" text, "keyId" text, "userId" text, "idempotencyHash" text, "requestHash" text, fields jsonb,
    "maxBytes" bigint, "allowedOrigin" text, "expiresInSec" float8, "videoId" text, "importedFrom" text, "hasQuery" boolean)
  RETURNING id, expires_at AS "expiresAt"`

/** Marks an open upload as completed. Returns what it has for its video. Undefined if it is no longer open. */
export async function completeDirect(
  tx: Tx,
  id: string,
  receivedBytes: number,
): Promise<Pick<DirectRow, 'fields' | 'importedFrom'> | undefined> {
  const [row] = await tx.$queryRaw<Pick<DirectRow, 'fields' | 'importedFrom'>[]>`
    UPDATE direct_upload SET state = 'completed', ended_at = service_now(), received_bytes = ${receivedBytes}
    WHERE id = ${id} AND state = 'open' RETURNING fields, imported_from AS "importedFrom"`
  if (row) await forgetSource(tx, id)
  return row
}

/** Why an upload ended without a video. */
export interface Failure {
  code: FailureCode
  reason: string
}

/** Marks an open upload as failed or expired, and emits its event. Returns false if it is no longer open. */
export async function failDirect(tx: Tx, id: string, { code, reason }: Failure, receivedBytes: number): Promise<boolean> {
  const state = code === 'EXPIRED' ? 'expired' : 'failed'
  const [row] = await tx.$queryRaw<{ accountId: string; fields: DirectFields }[]>`
    UPDATE direct_upload SET state = ${state}, ended_at = service_now(), received_bytes = ${receivedBytes}, failure_code = ${code},
      failure_reason = ${reason}
    WHERE id = ${id} AND state = 'open' RETURNING account_id AS "accountId", fields`
  if (!row) return false
  await forgetSource(tx, id)
  const data = { uploadId: id, code, reason, externalId: row.fields.externalId ?? null }
  await emit(tx, row.accountId, 'upload.failed', data, { dedupeKey: id })
  return true
}
