import { query, queryByIndex, type Tx } from '../../../platform/database/database.ts'
import type { Prisma } from '../../../platform/prisma/client.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { SERVICE } from '../content-access.ts'
import { type Claims, signReceipt } from './sign.ts'
import { type SigningKey, signingKey } from './signing-keys.ts'

/** Objects of one kind that storage held for a video. */
export interface StoredFiles {
  /** `source`, `segments`, `pictures`, `extras`. */
  kind: string
  objects: number
  bytes: number
}

/** A removal from storage: of a video with all its media, or of media alone. */
export interface Removal {
  /** ID of its record. */
  id: string
  /** Null for media alone. */
  videoId: string | null
  mediaIds: string[]
}

/**
 * Records the rows deleted with these videos, which the caller has locked and deletes in the same transaction. With `titles`, the account's
 * list shows their titles. Their receipts follow after a check of storage (`confirmRemoved`).
 */
export async function recordDeletions(tx: Tx, videoIds: string[], { titles }: { titles: boolean }): Promise<void> {
  const ids = videoIds.map(() => newId('rcp'))
  await tx.$executeRaw`
    INSERT INTO deletion (id, account_id, kind, subject, media_ids, title, deleted_at, rows)
    SELECT n.id, v.account_id, 'video.deletion', v.id, ARRAY(SELECT m.id FROM media m WHERE m.video_id = v.id ORDER BY m.id),
      CASE WHEN ${titles} THEN v.title END, coalesce(v.deleted_at, a.deleted_at, service_clock()), g.deleted_rows
    FROM unnest(${ids}::text[], ${videoIds}::text[]) AS n(id, video_id) JOIN video v ON v.id = n.video_id JOIN account a ON a.id = v.account_id
      JOIN rows_deleted_with_each('video', ${videoIds}::text[]) g ON g.deleted_id = v.id
    ON CONFLICT (kind, subject) WHERE kind <> 'viewer.erasure' DO NOTHING`
}

/** Records the removal of media whose video stays, which the caller deletes in the same transaction. There is no receipt for it. */
export async function recordMediaDeletions(tx: Tx, mediaIds: string[]): Promise<void> {
  const ids = mediaIds.map(() => newId('rcp'))
  await tx.$executeRaw`
    INSERT INTO deletion (id, account_id, kind, subject, media_ids, deleted_at, rows)
    SELECT n.id, m.account_id, 'media.deletion', m.id, ARRAY[m.id], service_clock(), '{}'
    FROM unnest(${ids}::text[], ${mediaIds}::text[]) AS n(id, media_id) JOIN media m ON m.id = n.media_id
    ON CONFLICT (kind, subject) WHERE kind <> 'viewer.erasure' DO NOTHING`
}

/**
 * Records the erasure of a viewer, whom the caller has locked and deletes in the same transaction, with its receipt. `logged`: rows of the
 * request log that go too. Returns the receipt.
 */
export async function recordErasure(
  tx: Tx,
  { accountId, reference, logged }: { accountId: string; reference: string; logged: number },
  key: SigningKey,
): Promise<ErasureReceipt> {
  const id = newId('rcp')
  const rows = added(await countRows(tx, 'viewer', `id = ${quoted(reference)}`), { request_log: logged })
  const [clock] = await tx.$queryRaw<[{ at: Date }]>`SELECT service_clock() AS at`
  const facts = { erasedAt: clock.at.toISOString(), rows }
  const jws = await signReceipt(SERVICE, { id, kind: 'viewer.erasure', accountId, subject: reference, facts }, key)
  const times = { deletedAt: clock.at, purgedAt: clock.at, verifiedAt: clock.at }
  await tx.deletion.create({ data: { id, accountId, kind: 'viewer.erasure', subject: reference, ...times, rows, jws } })
  return { id, jws }
}

/** A receipt of an erasure: its ID, and the signed form. */
interface ErasureReceipt {
  id: string
  jws: string
}

/** Returns the receipt of a viewer's latest erasure. */
export async function erasureReceipt(tx: Tx, accountId: string, reference: string): Promise<ErasureReceipt | undefined> {
  const row = await tx.deletion.findFirst({
    where: { kind: 'viewer.erasure', accountId, subject: reference },
    orderBy: { deletedAt: 'desc' },
    select: { id: true, jws: true },
  })
  return row?.jws ? { id: row.id, jws: row.jws } : undefined
}

/** Records what storage holds for removals. Only the first call for a removal has an effect, because a repeated one finds fewer objects. */
export async function recordStoredFiles(found: readonly { id: string; stored: StoredFiles[] }[]): Promise<void> {
  await queryByIndex(
    'deletion-stored',
    `UPDATE deletion SET stored = f.stored FROM jsonb_to_recordset($1::jsonb) AS f(id text, stored jsonb)
     WHERE deletion.id = f.id AND deletion.stored IS NULL`,
    [JSON.stringify(found)],
  )
}

/** Marks removals as verified, after a search of storage found nothing, and signs the receipts of videos. */
export async function confirmRemoved(ids: readonly string[]): Promise<void> {
  const rows = await queryByIndex<Row>(
    'deletion-verified',
    `UPDATE deletion d SET verified_at = coalesce(verified_at, service_clock()) WHERE id = ANY ($1)
     RETURNING ${COLUMNS}, '{}'::text[] AS videos`,
    [ids],
  )
  await signAll(rows.filter(({ kind, jws }) => kind === 'video.deletion' && !jws))
}

const REMOVAL = `id, CASE kind WHEN 'video.deletion' THEN subject END AS "videoId", media_ids AS "mediaIds"`

/** Media still to be removed. The deletion records are the queue, so that no removal is ever lost. */
const DUE = `
  UPDATE deletion SET due_at = service_clock() + make_interval(secs => $1) WHERE id IN (
    SELECT id FROM deletion WHERE kind <> 'account.deletion' AND verified_at IS NULL AND due_at <= service_clock()
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING ${REMOVAL}`

/** Leases due removals for `leaseSec`. Concurrent callers get different ones. */
export async function leaseRemovals({ count, leaseSec }: { count: number; leaseSec: number }): Promise<Removal[]> {
  return queryByIndex<Removal & Record<string, unknown>>('deletion-lease', DUE, [leaseSec, count])
}

/** Returns a video's or media's unverified removals. */
export const removalsOf = (id: string): Promise<Removal[]> =>
  query<Removal & Record<string, unknown>>(
    'deletions-of-media',
    `SELECT ${REMOVAL} FROM deletion WHERE kind <> 'account.deletion' AND verified_at IS NULL AND (subject = $1 OR $1 = ANY (media_ids))`,
    [id],
  )

/** Postpones a failed removal: by a minute, then twice as long after each failure, at most an hour. */
export async function postponeRemoval(id: string): Promise<void> {
  await queryByIndex(
    'deletion-postpone',
    `UPDATE deletion SET failures = failures + 1, due_at = service_clock() + make_interval(secs => least(3600, 60 * 2 ^ least(failures, 6)))
     WHERE id = $1`,
    [id],
  )
}

/** Counts the rows deleted together with a table's rows that match `condition`, which consists of constants and quoted IDs. */
async function countRows(tx: Tx, table: string, condition: string): Promise<RowCounts> {
  const [row] = await tx.$queryRaw<[{ rows: RowCounts }]>`SELECT rows_deleted_with(${table}::regclass, ${condition}) AS rows`
  return row.rows
}

const quoted = (id: string) => `'${id.replaceAll("'", "''")}'`

type RowCounts = Record<string, number>

function combined(counts: RowCounts[], combine: (...numbers: number[]) => number): RowCounts {
  const names = [...new Set(counts.flatMap(Object.keys))].sort()
  return Object.fromEntries(names.map((name) => [name, combine(...counts.map((one) => one[name] ?? 0))]))
}
const added = (...counts: RowCounts[]) => combined(counts, (...numbers) => numbers.reduce((sum, one) => sum + one, 0))

/**
 * Records that an owner deletes an account, and counts the rows that go at once: these users' rows, and the account's in `tables`. Called
 * before they are deleted. The receipt follows when the account's last row is gone (`finishAccountDeletion`).
 */
export async function recordAccountDeletion(
  tx: Tx,
  accountId: string,
  gone: { userIds: string[]; tables: readonly string[] },
): Promise<void> {
  const { userIds, tables } = gone
  const ofUsers = userIds.length === 0 ? {} : await countRows(tx, 'app_user', `id IN (${userIds.map(quoted).join(', ')})`)
  const ofTables: RowCounts[] = []
  for (const table of tables) ofTables.push(await countRows(tx, table, `account_id = ${quoted(accountId)}`))
  // A membership is deleted with either. For each table, the larger count applies.
  const rows = combined([ofUsers, added(...ofTables)], Math.max)
  await tx.$executeRaw`
    INSERT INTO deletion (id, account_id, kind, subject, deleted_at, rows)
    VALUES (${newId('rcp')}, ${accountId}, 'account.deletion', ${accountId}, service_clock(), ${rows as Prisma.JsonObject})`
}

/** Adds the rows of a table that match `condition`, and those deleted with them, to an account's deletion record. */
export async function countDeleted(tx: Tx, accountId: string, table: string, condition: string): Promise<void> {
  const counted = await countRows(tx, table, condition)
  const [row] = await tx.$queryRaw<{ rows: RowCounts }[]>`
    SELECT rows FROM deletion WHERE kind = 'account.deletion' AND subject = ${accountId} FOR UPDATE`
  const rows = added(row?.rows ?? {}, counted)
  await tx.$executeRaw`
    UPDATE deletion SET rows = ${rows as Prisma.JsonObject} WHERE kind = 'account.deletion' AND subject = ${accountId}`
}

/** Completes an account's deletion record, in the transaction that deletes its row. The records of its videos lose their titles. */
export async function finishAccountDeletion(tx: Tx, accountId: string): Promise<void> {
  await countDeleted(tx, accountId, 'account', `id = ${quoted(accountId)}`)
  await tx.$executeRaw`UPDATE deletion SET title = NULL WHERE account_id = ${accountId} AND title IS NOT NULL`
  await tx.$executeRaw`
    UPDATE deletion SET purged_at = service_clock(), verified_at = service_clock() WHERE kind = 'account.deletion' AND subject = ${accountId}`
}

interface Row {
  id: string
  accountId: string
  kind: Claims['kind']
  subject: string
  deletedAt: Date
  purgedAt: Date
  rows: RowCounts
  stored: StoredFiles[] | null
  verifiedAt: Date | null
  jws: string | null
  videos: string[]
  [column: string]: unknown
}

const COLUMNS = `d.id, d.account_id AS "accountId", d.kind, d.subject, d.deleted_at AS "deletedAt", d.purged_at AS "purgedAt", d.rows, d.stored,
  d.verified_at AS "verifiedAt", d.jws`

const READ = `
  SELECT ${COLUMNS},
    ARRAY(SELECT v.id FROM deletion v WHERE d.kind = 'account.deletion' AND v.account_id = d.account_id AND v.kind = 'video.deletion' ORDER BY v.id) AS videos
  FROM deletion d WHERE d.id = $1 AND d.kind <> 'media.deletion' AND ($2::text IS NULL OR d.account_id = $2)`

/**
 * Returns a deletion's signed receipt, signing and storing it on the first call. Undefined if there is none (for this account, if given),
 * while the removal of a video's media is unverified, and while an account has rows.
 */
export async function deletionReceipt(id: string, accountId: string | null = null): Promise<string | undefined> {
  const [row] = await query<Row>('deletion-receipt', READ, [id, accountId])
  if (!row || row.jws) return row?.jws ?? undefined
  if (!row.verifiedAt) return undefined
  const [signed] = await signAll([row])
  return signed
}

/** Signs and stores receipts, unless another process already did. Returns the stored ones. */
async function signAll(rows: readonly Row[]): Promise<string[]> {
  if (rows.length === 0) return []
  const key = await signingKey()
  const factsOf = (row: Row) => (row.kind === 'video.deletion' ? videoFacts(row) : accountFacts(row))
  const signed = await Promise.all(rows.map((row) => signReceipt(SERVICE, { ...row, facts: factsOf(row) }, key)))
  const kept = await queryByIndex<{ jws: string }>(
    'deletion-sign',
    'UPDATE deletion d SET jws = coalesce(d.jws, s.jws) FROM unnest($1::text[], $2::text[]) AS s(id, jws) WHERE d.id = s.id RETURNING d.jws',
    [rows.map(({ id }) => id), signed],
  )
  return kept.map(({ jws }) => jws)
}

/** Returns an account's permanent deletions, oldest first. */
export const accountDeletions = (accountId: string) =>
  query<{ id: string; kind: 'video.deletion' | 'account.deletion' | 'viewer.erasure'; subject: string; purgedAt: Date }>(
    'account-deletions',
    'SELECT id, kind, subject, purged_at AS "purgedAt" FROM deletion WHERE account_id = $1 AND kind <> \'media.deletion\' ORDER BY purged_at, id',
    [accountId],
  )

const sum = (stored: StoredFiles[], field: 'objects' | 'bytes') => stored.reduce((total, one) => total + one[field], 0)

function videoFacts({ deletedAt, purgedAt, verifiedAt, rows, stored }: Row): Record<string, unknown> {
  const found = stored ?? []
  return {
    deletedAt: deletedAt.toISOString(),
    purgedAt: purgedAt.toISOString(),
    rows,
    storage: { objects: sum(found, 'objects'), bytes: sum(found, 'bytes'), byKind: found, verifiedAbsentAt: verifiedAt?.toISOString() },
  }
}

/** No media here: each video of the account has its own receipt. */
const accountFacts = ({ deletedAt, rows, videos }: Row) => ({ deletedAt: deletedAt.toISOString(), rows, videoReceipts: videos })
