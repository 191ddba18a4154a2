import { newId } from '../../platform/crypto.ts'
import { query, type Tx } from '../../platform/database.ts'
import type { Prisma } from '../../platform/prisma/client.ts'
import { type Claims, signReceipt } from './sign.ts'

/** Objects of one kind that storage held for a video. */
export interface StoredFiles {
  /** `source`, `segments`, `pictures`, `extras`. */
  kind: string
  objects: number
  bytes: number
}

/**
 * Records the rows that are deleted with these videos, which the caller has locked and deletes in the same transaction. With `titles` the
 * account's list shows their titles. Their receipts follow after a check of storage (`confirmRemoved`).
 */
export async function recordDeletions(tx: Tx, videoIds: string[], { titles }: { titles: boolean }): Promise<void> {
  for (const id of videoIds)
    await tx.$executeRaw`
      INSERT INTO deletion (id, account_id, kind, subject, title, deleted_at, rows)
      SELECT ${newId('rcp')}, account_id, 'video.deletion', id, CASE WHEN ${titles} THEN title END, coalesce(deleted_at, service_clock()),
        rows_deleted_with('video', format('id = %L', id))
      FROM video WHERE id = ${id} ON CONFLICT (kind, subject) DO NOTHING`
}

/**
 * Records what storage holds for a video that is being removed. Only the first call has an effect, because a repeated job finds fewer
 * objects.
 */
export async function recordStoredFiles(videoId: string, stored: StoredFiles[]): Promise<void> {
  await query('deletion-stored', `UPDATE deletion SET stored = $2 WHERE kind = 'video.deletion' AND subject = $1 AND stored IS NULL`, [
    videoId,
    JSON.stringify(stored),
  ])
}

/** Marks the removal of this video's media as verified, after a search of storage found nothing, and signs the receipt. */
export async function confirmRemoved(videoId: string): Promise<void> {
  const [row] = await query<{ id: string }>(
    'deletion-verified',
    `UPDATE deletion SET verified_at = coalesce(verified_at, service_clock()) WHERE kind = 'video.deletion' AND subject = $1 RETURNING id`,
    [videoId],
  )
  if (row) await deletionReceipt(row.id)
}

/** Counts the rows that are deleted with those of a table that match `condition`, which consists of constants and quoted ids. */
async function countRows(tx: Tx, table: string, condition: string): Promise<Record<string, number>> {
  const [row] = await tx.$queryRaw<[{ rows: Record<string, number> }]>`SELECT rows_deleted_with(${table}::regclass, ${condition}) AS rows`
  return row.rows
}

/**
 * Counts the rows that are deleted with an account and, before it, with its users without another account. Called before either is deleted.
 */
export async function countAccountRows(tx: Tx, accountId: string, userIds: string[]): Promise<Record<string, number>> {
  const quoted = (id: string) => `'${id.replaceAll("'", "''")}'`
  const ofUsers = userIds.length === 0 ? {} : await countRows(tx, 'app_user', `id IN (${userIds.map(quoted).join(', ')})`)
  const ofAccount = await countRows(tx, 'account', `id = ${quoted(accountId)}`)
  // Memberships and sessions may be deleted with either; for each table the larger count applies.
  const names = new Set([...Object.keys(ofUsers), ...Object.keys(ofAccount)])
  return Object.fromEntries([...names].sort().map((name) => [name, Math.max(ofUsers[name] ?? 0, ofAccount[name] ?? 0)]))
}

/** Records the deletion of an account with its row counts. The records of its videos remain, without their titles. */
export async function recordAccountDeletion(tx: Tx, accountId: string, rows: Record<string, number>): Promise<string> {
  await tx.deletion.updateMany({ where: { accountId }, data: { title: null } })
  const [row] = await tx.$queryRaw<[{ id: string }]>`
    INSERT INTO deletion (id, account_id, kind, subject, deleted_at, rows)
    VALUES (${newId('rcp')}, ${accountId}, 'account.deletion', ${accountId}, service_clock(), ${rows as Prisma.JsonObject})
    RETURNING id`
  return row.id
}

interface Row {
  id: string
  accountId: string
  kind: Claims['kind']
  subject: string
  deletedAt: Date
  purgedAt: Date
  rows: Record<string, number>
  stored: StoredFiles[] | null
  verifiedAt: Date | null
  jws: string | null
  videos: string[]
  [column: string]: unknown
}

const READ = `
  SELECT d.id, d.account_id AS "accountId", d.kind, d.subject, d.deleted_at AS "deletedAt", d.purged_at AS "purgedAt", d.rows, d.stored,
    d.verified_at AS "verifiedAt", d.jws,
    ARRAY(SELECT v.id FROM deletion v WHERE d.kind = 'account.deletion' AND v.account_id = d.account_id AND v.kind = 'video.deletion' ORDER BY v.id) AS videos
  FROM deletion d WHERE d.id = $1 AND ($2::text IS NULL OR d.account_id = $2)`

/**
 * Returns the signed receipt of a deletion; signed on the first call and stored. Undefined when there is none (for this account, if one is
 * given) and while the removal of a video's media is not verified.
 */
export async function deletionReceipt(id: string, accountId: string | null = null): Promise<string | undefined> {
  const [row] = await query<Row>('deletion-receipt', READ, [id, accountId])
  if (!row || row.jws) return row?.jws ?? undefined
  if (row.kind === 'video.deletion' && !row.verifiedAt) return undefined
  const jws = await signReceipt({ ...row, facts: row.kind === 'video.deletion' ? videoFacts(row) : accountFacts(row) })
  const [kept] = await query<{ jws: string }>('deletion-sign', 'UPDATE deletion SET jws = coalesce(jws, $2) WHERE id = $1 RETURNING jws', [
    id,
    jws,
  ])
  return kept?.jws
}

/** Returns the permanent deletions of an account, oldest first. */
export const accountDeletions = (accountId: string) =>
  query<{ id: string; kind: 'video.deletion' | 'account.deletion'; subject: string; purgedAt: Date }>(
    'account-deletions',
    'SELECT id, kind, subject, purged_at AS "purgedAt" FROM deletion WHERE account_id = $1 ORDER BY purged_at, id',
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

/** No media here: each video of the account has a separate receipt. */
const accountFacts = ({ deletedAt, rows, videos }: Row) => ({ deletedAt: deletedAt.toISOString(), rows, videoReceipts: videos })
