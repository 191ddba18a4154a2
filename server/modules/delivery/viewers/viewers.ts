import type { AccountCtx, AccountId } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../../platform/database/cursor.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isStorable, type Pagination } from '../../../platform/text/schema.ts'
import { requireStillPermitted } from '../../access/keys/still-permitted.ts'
import { requireContentAccess } from '../../audit/content-access.ts'
import { erasureReceipt, recordErasure } from '../../audit/receipts/deletions.ts'
import { readableReceipt } from '../../audit/receipts/sign.ts'
import { signingKey } from '../../audit/receipts/signing-keys.ts'
import { record } from '../../audit/record.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import { openOwnId, sealOwnId, viewerReference } from '../../identity/viewers/reference.ts'
import { addEnd } from '../sessions/ends.ts'
import { IDLE_SEC } from '../sessions/viewer-places.ts'
import {
  type Erasure,
  type ListedViewer,
  MOST_SESSIONS,
  type VideoViewer,
  type ViewerObject,
  type ViewersQuery,
  type ViewerVideo,
} from './schema.ts'

interface ProgressRow {
  watchedSec: number
  durationSec: number
  positionSec: number
  firstAt: Date
  lastAt: Date
  completedAt: Date | null
}

const PROGRESS = `p.watched_sec AS "watchedSec", p.duration_sec AS "durationSec", p.position_sec AS "positionSec", p.first_at AS "firstAt",
  p.last_at AS "lastAt", p.completed_at AS "completedAt"`

/**
 * Returns a viewer, their current sessions, and a page of what they watched, latest first. Errors: VIEWER_NOT_FOUND, INVALID_REQUEST
 * (cursor).
 */
export async function getViewer(
  { accountId }: AccountCtx,
  { viewerId, limit = 100, cursor }: { viewerId: string } & Partial<ViewersQuery>,
): Promise<{ viewer: ViewerObject; pagination: Pagination }> {
  const reference = await viewerReference(accountId, viewerId)
  const found = await db().viewer.findUnique({ where: { accountId, id: reference } })
  if (!found) throw new ServiceError('VIEWER_NOT_FOUND')
  const [lastAt, videoId] = readCursor(cursor)
  const rows = await query<ProgressRow & { videoId: string }>(
    'videos-of-viewer',
    `SELECT p.video_id AS "videoId", ${PROGRESS} FROM viewer_progress p JOIN video v ON v.id = p.video_id
     WHERE p.account_id = $1 AND p.viewer_id = $2 AND v.deleted_at IS NULL
       AND p.last_at <= coalesce($3::timestamptz, 'infinity') AND ($3 IS NULL OR p.last_at < $3 OR p.video_id > $4)
     ORDER BY p.last_at DESC, p.video_id LIMIT $5`,
    [accountId, reference, lastAt, videoId, limit + 1],
  )
  const sessions = await query<{ videoId: string; beganAt: Date; lastSeenAt: Date }>(
    'sessions-of-viewer',
    `SELECT video_id AS "videoId", began_at AS "beganAt", seen_at AS "lastSeenAt" FROM viewer_session
     WHERE account_id = $1 AND viewer_id = $2 AND seen_at > service_now() - make_interval(secs => $3)
     ORDER BY began_at, token_id LIMIT $4`,
    [accountId, reference, IDLE_SEC, MOST_SESSIONS],
  )
  const page = pageOf(rows, limit, (last) => encodeCursor([last.lastAt.toISOString(), last.videoId]))
  const viewer = {
    ...{ id: viewerId, firstSeenAt: found.firstSeenAt.toISOString(), lastSeenAt: found.lastSeenAt.toISOString() },
    sessions: sessions.map((session) => ({
      videoId: session.videoId,
      beganAt: session.beganAt.toISOString(),
      lastSeenAt: session.lastSeenAt.toISOString(),
    })),
    videos: page.rows.map(({ videoId: id, ...row }) => ({ videoId: id, ...present(row) })),
  }
  return { viewer, pagination: { nextCursor: page.nextCursor, hasMore: page.nextCursor !== null } }
}

/** Returns a page of an account's viewers, by their last activity, latest first. Errors: INVALID_REQUEST (cursor). */
export async function listViewers(
  { accountId }: AccountCtx,
  { limit = 100, cursor }: Partial<ViewersQuery>,
): Promise<{ viewers: ListedViewer[]; pagination: Pagination }> {
  const [lastAt, after] = readCursor(cursor)
  const rows = await query<{ reference: string; ownId: Buffer; firstSeenAt: Date; lastSeenAt: Date }>(
    'list-viewers',
    `SELECT id AS reference, own_id AS "ownId", first_seen_at AS "firstSeenAt", last_seen_at AS "lastSeenAt" FROM viewer
     WHERE account_id = $1 AND last_seen_at <= coalesce($2::timestamptz, 'infinity') AND ($2 IS NULL OR last_seen_at < $2 OR id > $3)
     ORDER BY last_seen_at DESC, id LIMIT $4`,
    [accountId, lastAt, after, limit + 1],
  )
  const page = pageOf(rows, limit, (last) => encodeCursor([last.lastSeenAt.toISOString(), last.reference]))
  const viewers = page.rows.map(({ reference, ownId, firstSeenAt, lastSeenAt }) => ({
    ...{ id: openOwnId(reference, ownId), firstSeenAt: firstSeenAt.toISOString(), lastSeenAt: lastSeenAt.toISOString() },
  }))
  return { viewers, pagination: { nextCursor: page.nextCursor, hasMore: page.nextCursor !== null } }
}

/** Returns how much of a video a viewer has watched. Errors: VIEWER_NOT_FOUND, also for one who has not watched this video. */
export async function getViewerVideo(
  { accountId }: AccountCtx,
  { viewerId, videoId }: { viewerId: string; videoId: string },
): Promise<ViewerVideo> {
  const reference = await viewerReference(accountId, viewerId)
  if (!isStorable(videoId)) throw new ServiceError('VIEWER_NOT_FOUND')
  const [row] = await query<ProgressRow>(
    'progress-of-viewer',
    `SELECT ${PROGRESS} FROM viewer_progress p JOIN video v ON v.id = p.video_id
     WHERE p.account_id = $1 AND p.viewer_id = $2 AND p.video_id = $3 AND v.deleted_at IS NULL`,
    [accountId, reference, videoId],
  )
  if (!row) throw new ServiceError('VIEWER_NOT_FOUND', { message: 'This viewer has not watched this video.' })
  return { videoId, ...present(row) }
}

/** Returns a page of a video's viewers, latest first. Errors: VIDEO_NOT_FOUND, INVALID_REQUEST (cursor). */
export async function listVideoViewers(
  { accountId }: AccountCtx,
  { videoId, limit = 100, cursor }: { videoId: string } & Partial<ViewersQuery>,
): Promise<{ viewers: VideoViewer[]; pagination: Pagination }> {
  const isOwned = isStorable(videoId) && (await db().video.count({ where: { id: videoId, accountId, deletedAt: null } })) === 1
  if (!isOwned) throw new ServiceError('VIDEO_NOT_FOUND')
  const [lastAt, after] = readCursor(cursor)
  const rows = await query<ProgressRow & { reference: string; ownId: Buffer }>(
    'viewers-who-watched',
    `SELECT p.viewer_id AS reference, v.own_id AS "ownId", ${PROGRESS} FROM viewer_progress p JOIN viewer v ON v.id = p.viewer_id
     WHERE p.video_id = $1 AND p.last_at <= coalesce($2::timestamptz, 'infinity') AND ($2 IS NULL OR p.last_at < $2 OR p.viewer_id > $3)
     ORDER BY p.last_at DESC, p.viewer_id LIMIT $4`,
    [videoId, lastAt, after, limit + 1],
  )
  const page = pageOf(rows, limit, (last) => encodeCursor([last.lastAt.toISOString(), last.reference]))
  return {
    viewers: page.rows.map(({ reference, ownId, ...row }) => ({ viewerId: openOwnId(reference, ownId), ...present(row) })),
    pagination: { nextCursor: page.nextCursor, hasMore: page.nextCursor !== null },
  }
}

const present = ({ firstAt, lastAt, completedAt, ...row }: ProgressRow) => ({
  ...row,
  firstAt: firstAt.toISOString(),
  lastAt: lastAt.toISOString(),
  completedAt: completedAt?.toISOString() ?? null,
})

/** Whether a text in the form of a time is one: 30 February is not. */
const isTime = (text: string) => Date.parse(text) >= 0 && new Date(text).toISOString() === text

/** Returns the time of the previous page's last row, and its video or reference. Nulls on the first page. */
export function readCursor(cursor: string | undefined): readonly [string, string] | readonly [null, null] {
  if (cursor === undefined) return [null, null]
  const values = decodeCursor(cursor, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, /^[\w-]{1,60}$/)
  if (values && isTime(values[0])) return values
  throw new ServiceError('INVALID_REQUEST', {
    details: [{ in: 'query', path: 'cursor', message: 'Invalid cursor. Use the pagination.nextCursor of an earlier response.' }],
  })
}

/**
 * Ends every session of a viewer, at once in every process, and frees their places. As with `endPlayback`, their unexpired tokens can be
 * exchanged again. Returns how many it ended. Errors: VIEWER_NOT_FOUND; those of `requireStillPermitted`.
 */
export async function endViewer(ctx: AccountCtx, { viewerId }: { viewerId: string }): Promise<{ id: string; ended: number }> {
  const { accountId } = ctx
  const reference = await viewerReference(accountId, viewerId)
  const before = await endMostSessions(ctx, reference)
  const ended = await db().$transaction(async (tx) => {
    await requireStillPermitted(tx, ctx, 'viewer:write')
    if (!(await lockViewer(tx, accountId, reference))) throw new ServiceError('VIEWER_NOT_FOUND')
    const rest = await sessionsToEnd(tx, reference, before.tokenIds)
    await record(tx, ctx, { action: 'viewer.end', subject: reference })
    return rest.length > 0 ? endSessions(tx, accountId, rest) : 0
  })
  await notifications().caughtUp()
  return { id: viewerId, ended: before.ended + ended }
}

/** Sessions that one transaction ends, because ends of playback wait for each other across all accounts. */
const SLICE = 500

/**
 * Ends a viewer's sessions slice by slice, except for one slice, which the caller ends; few viewers have more. Returns the tokens of the
 * ended sessions, and how many of them were open.
 */
async function endMostSessions(ctx: AccountCtx, reference: string): Promise<{ tokenIds: ReadonlySet<string>; ended: number }> {
  const most = (await sessionsToEnd(db(), reference, new Set())).slice(SLICE)
  let ended = 0
  for (let at = 0; at < most.length; at += SLICE)
    ended += await db().$transaction(async (tx) => {
      await requireStillPermitted(tx, ctx, 'viewer:write')
      if (!(await lockViewer(tx, ctx.accountId, reference))) return 0
      return endSessions(tx, ctx.accountId, most.slice(at, at + SLICE))
    })
  return { tokenIds: new Set(most), ended }
}

/**
 * Returns the tokens of a viewer's unexpired sessions, also of those that hold no place: a stopped player could continue. Omits `ended` ones,
 * unless their tokens were exchanged again since.
 */
async function sessionsToEnd(on: Pick<Tx, 'viewerSession'>, reference: string, ended: ReadonlySet<string>): Promise<string[]> {
  const where = { viewerId: reference, expiresAt: { gt: new Date(serviceNow()) } }
  const sessions = await on.viewerSession.findMany({ where, select: { tokenId: true, seenAt: true } })
  return sessions.flatMap(({ tokenId, seenAt }) => (seenAt === null && ended.has(tokenId) ? [] : tokenId))
}

/** Ends sessions. Returns how many of them held a place. */
async function endSessions(tx: Tx, accountId: AccountId, tokenIds: string[]): Promise<number> {
  const ended = await tx.$executeRaw`UPDATE viewer_session SET seen_at = NULL WHERE token_id = ANY (${tokenIds}) AND seen_at IS NOT NULL`
  await addEnd(tx, accountId, { tokenIds })
  return ended
}

/** Locks a viewer's row: an admission or a report comes before or after. Returns whether there is one. */
async function lockViewer(tx: Tx, accountId: string, reference: string): Promise<boolean> {
  const [known] = await tx.$queryRaw<object[]>`SELECT 1 FROM viewer WHERE account_id = ${accountId} AND id = ${reference} FOR UPDATE`
  return known !== undefined
}

/**
 * Erases a viewer: ends their sessions at once in every process, and deletes everything that is kept about them. The audit log, the receipt
 * and the record that repeats the erasure after a restore name the viewer's reference alone. Neither a session that was open nor a token
 * issued before brings the viewer back; a later token starts from nothing. Returns the signed receipt; erasing the viewer
 * again returns the same one. Errors: VIEWER_NOT_FOUND, FORBIDDEN for support staff; those of `requireStillPermitted`.
 */
export async function eraseViewer(ctx: AccountCtx, { viewerId }: { viewerId: string }): Promise<{ receiptId: string; receipt: Erasure }> {
  const { accountId } = ctx
  const access = requireContentAccess(ctx, 'You cannot erase viewers while you view an account as its owner.')
  const reference = await viewerReference(accountId, viewerId)
  const key = await signingKey()
  const before = await endMostSessions(ctx, reference)
  const erased = await db().$transaction(async (tx) => {
    await requireStillPermitted(tx, ctx, 'viewer:write')
    if (!(await lockViewer(tx, accountId, reference))) return erasureReceipt(tx, accountId, reference)
    const sessions = await tx.viewerSession.findMany({ where: { viewerId: reference }, select: { tokenId: true } })
    const tokenIds = sessions.map(({ tokenId }) => tokenId)
    const rest = await sessionsToEnd(tx, reference, before.tokenIds)
    await record(tx, ctx, { action: 'viewer.erase', subject: reference })
    // Calls that were refused opened no session; `request_log_refused_idx` finds them.
    const calls = [{ tokenId: { in: tokenIds } }, { status: { gte: 400 }, viewerId: reference }]
    const { count: logged } = await tx.loggedRequest.deleteMany({ where: { accountId, OR: calls } })
    const receipt = await recordErasure(tx, { accountId, reference, logged }, key)
    await tx.viewer.delete({ where: { id: reference } })
    await enqueue(tx, JOBS['erasure.copy'], {})
    const endedNumber = await addEnd(tx, accountId, { tokenIds: rest })
    await tx.deletion.update({ where: { id: receipt.id }, data: { endedNumber } })
    return receipt
  })
  if (!erased) throw new ServiceError('VIEWER_NOT_FOUND')
  await notifications().caughtUp()
  return { receiptId: erased.id, receipt: readableReceipt(access, erased.jws) as Erasure }
}

/**
 * Stores a viewer who was refused before any session, so that the request log can name them. A token that was issued before the viewer was
 * erased does not bring them back. Returns their reference.
 */
export async function noteViewer(accountId: string, viewerId: string, issuedAt: Date): Promise<string> {
  const reference = await viewerReference(accountId, viewerId)
  const row = { id: reference, accountId, ownId: sealOwnId(reference, viewerId) }
  await db().$transaction(async (tx) => {
    const { count } = await tx.viewer.createMany({ data: row, skipDuplicates: true })
    if (count === 0) return
    // A statement of its own: it sees an erasure that committed in the meantime.
    await tx.$executeRaw`
      DELETE FROM viewer v WHERE v.id = ${reference} AND EXISTS (SELECT FROM deletion d WHERE d.kind = 'viewer.erasure'
        AND d.subject = v.id AND d.deleted_at >= ${issuedAt}::timestamptz)`
  })
  return reference
}

/**
 * Deletes viewers inactive for as long as their account has set, and those seen longest ago of an account with more than its limit, with
 * everything that is kept about them. Runs with the job `session.sweep`.
 */
export async function pruneViewers(signal?: AbortSignal): Promise<void> {
  const inactive = `EXISTS (SELECT FROM account a WHERE a.id = account_id AND last_seen_at <= service_now() - make_interval(days => a.viewer_retention_days))`
  await deleteInSlices('viewer', inactive, [], signal)
  const crowded = await query<{ accountId: string; lastSeenAt: Date; id: string }>(
    'first-viewers-beyond-limits',
    `SELECT v.account_id AS "accountId", beyond.last_seen_at AS "lastSeenAt", beyond.id
     FROM (SELECT account_id, count(*) AS viewers FROM viewer GROUP BY account_id) v
     LEFT JOIN account_limit l ON l.account_id = v.account_id AND l.name = 'viewers'
     CROSS JOIN LATERAL (SELECT last_seen_at, id FROM viewer WHERE account_id = v.account_id
       ORDER BY last_seen_at DESC, id OFFSET coalesce(l.value, $1) LIMIT 1) beyond
     WHERE v.viewers > coalesce(l.value, $1)`,
    [defaultLimit('viewers')],
  )
  for (const { accountId, lastSeenAt, id } of crowded) {
    const beyond = 'account_id = $1 AND (last_seen_at < $2 OR last_seen_at = $2 AND id >= $3)'
    await deleteInSlices('viewer', beyond, [accountId, lastSeenAt, id], signal)
  }
}
