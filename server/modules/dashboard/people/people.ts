import type { z } from 'zod'
import { type AccountCtx, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { encodeCursor, pageOf } from '../../../platform/database/cursor.ts'
import { db, query } from '../../../platform/database/database.ts'
import { requireContentAccess } from '../../audit/content-access.ts'
import { IDLE_SEC } from '../../delivery/sessions/viewer-places.ts'
import type { Span } from '../../delivery/viewers/progress.ts'
import { MOST_SESSIONS } from '../../delivery/viewers/schema.ts'
import { endViewer, eraseViewer, readCursor } from '../../delivery/viewers/viewers.ts'
import { openOwnId, viewerReference } from '../../identity/viewers/reference.ts'
import type { findPersonInput, peopleCountsInput, peopleInput, personInput, personVideosInput, watchersInput } from './people-schema.ts'
import { spansOf } from './spans.ts'

const PAGE = 50
/** Beyond this many people, counting them would take long. */
const MOST_COUNTED = 10_000

/** First line of what names people: support staff see counts. */
const requireMember = (ctx: AccountCtx) => requireContentAccess(ctx, 'Support staff see counts, not people.')

/** A person in the list. `reference` names them in addresses and in the audit log; `id` is the customer's own. */
export interface ListedPerson {
  reference: string
  id: string
  /** How many hold a place now. */
  sessions: number
  videos: number
  lastSeenAt: Date
}

/** How much of a video a viewer watched: in seconds of its media, and the parts that were played, in order. */
export interface Watched {
  watchedSec: number
  durationSec: number
  positionSec: number
  spans: Span[]
  firstAt: Date
  lastAt: Date
  completedAt: Date | null
}

export interface Person {
  reference: string
  id: string
  firstSeenAt: Date
  lastSeenAt: Date
  /** The oldest 100 that hold a place now. */
  sessions: { tokenId: string; videoId: string; title: string; beganAt: Date; lastSeenAt: Date }[]
}

interface Page {
  /** Null on the last page. */
  nextCursor: string | null
}

const IS_OPEN = `s.seen_at > service_now() - interval '${IDLE_SEC} seconds'`
/** SQL: progress `p` with the videos that the account still has. */
const PROGRESS = 'viewer_progress p JOIN video v ON v.id = p.video_id AND v.deleted_at IS NULL'
const WATCHED = `p.watched_sec AS "watchedSec", p.duration_sec AS "durationSec", p.position_sec AS "positionSec", p.seconds::text AS seconds,
  p.first_at AS "firstAt", p.last_at AS "lastAt", p.completed_at AS "completedAt"`

/** Returns the account's viewers by their last activity, 50 per page. Errors: FORBIDDEN for support staff, INVALID_REQUEST (cursor). */
export async function listPeople(ctx: AccountCtx, { cursor }: z.output<typeof peopleInput>): Promise<Page & { people: ListedPerson[] }> {
  requireMember(ctx)
  const [at, id] = readCursor(cursor)
  const rows = await query<Omit<ListedPerson, 'id'> & { ownId: Buffer }>(
    'list-people',
    `SELECT w.id AS reference, w.own_id AS "ownId", w.last_seen_at AS "lastSeenAt",
       (SELECT count(*)::int FROM viewer_session s WHERE s.viewer_id = w.id AND ${IS_OPEN}) AS sessions,
       (SELECT count(*)::int FROM ${PROGRESS} WHERE p.viewer_id = w.id) AS videos
     FROM viewer w WHERE w.account_id = $1 AND w.last_seen_at <= coalesce($2::timestamptz, 'infinity') AND ($2 IS NULL OR w.last_seen_at < $2 OR w.id > $3)
     ORDER BY w.last_seen_at DESC, w.id LIMIT $4`,
    [ctx.accountId, at, id, PAGE + 1],
  )
  const page = pageOf(rows, PAGE, ({ lastSeenAt, reference }) => encodeCursor([lastSeenAt.toISOString(), reference]))
  const people = page.rows.map(({ ownId, ...row }) => ({ ...row, id: openOwnId(row.reference, ownId) }))
  return { people, nextCursor: page.nextCursor }
}

/** Returns how many viewers the account or one of its videos has, up to `most` + 1, and how many sessions they have now. */
export async function peopleCounts(
  { accountId }: AccountCtx,
  { videoId }: z.output<typeof peopleCountsInput>,
): Promise<{ people: number; most: number; sessions: number }> {
  const some = [MOST_COUNTED + 1, accountId]
  const [row] =
    videoId === undefined
      ? await query<{ people: number; sessions: number }>('people-counts', COUNTS, some)
      : await query<{ people: number; sessions: number }>('watchers-counts', VIDEO_COUNTS, [...some, videoId])
  return { people: 0, sessions: 0, ...row, most: MOST_COUNTED }
}

/** A session that is open was last seen when its viewer was. */
const COUNTS = `
  SELECT (SELECT count(*)::int FROM (SELECT FROM viewer WHERE account_id = $2 LIMIT $1) AS known) AS people,
    (SELECT count(*)::int FROM viewer w JOIN viewer_session s ON s.viewer_id = w.id
      WHERE w.account_id = $2 AND w.last_seen_at > service_now() - interval '${IDLE_SEC} seconds' AND ${IS_OPEN}) AS sessions`
const VIDEO_COUNTS = `
  SELECT (SELECT count(*)::int FROM (SELECT FROM ${PROGRESS} WHERE v.account_id = $2 AND p.video_id = $3 LIMIT $1) AS known) AS people,
    (SELECT count(*)::int FROM viewer_session s JOIN video v ON v.id = s.video_id
      WHERE s.video_id = $3 AND v.account_id = $2 AND ${IS_OPEN}) AS sessions`

/** Returns the reference of the viewer with this whole ID, or null. Errors: FORBIDDEN for support staff. */
export async function findPerson(ctx: AccountCtx, { id }: z.output<typeof findPersonInput>): Promise<{ reference: string } | null> {
  requireMember(ctx)
  const reference = await viewerReference(ctx.accountId, id)
  return (await db().viewer.count({ where: { id: reference, accountId: ctx.accountId } })) === 1 ? { reference } : null
}

/** Returns a viewer and their current sessions. Errors: VIEWER_NOT_FOUND, FORBIDDEN for support staff. */
export async function getPerson(ctx: AccountCtx, { reference }: z.output<typeof personInput>): Promise<Person> {
  requireMember(ctx)
  const found = await db().viewer.findUnique({ where: { id: reference, accountId: ctx.accountId } })
  if (!found) throw new ServiceError('VIEWER_NOT_FOUND')
  const { firstSeenAt, lastSeenAt, ownId } = found
  const sessions = await query<Person['sessions'][number]>(
    'sessions-of-person',
    `SELECT s.token_id AS "tokenId", s.video_id AS "videoId", v.title, s.began_at AS "beganAt", s.seen_at AS "lastSeenAt"
     FROM viewer_session s JOIN video v ON v.id = s.video_id WHERE s.viewer_id = $1 AND ${IS_OPEN} ORDER BY s.began_at, s.token_id
     LIMIT $2`,
    [reference, MOST_SESSIONS],
  )
  return { reference, id: openOwnId(reference, ownId), firstSeenAt, lastSeenAt, sessions }
}

type WatchedRow = Omit<Watched, 'spans'> & { seconds: string }

/** A browser draws the parts: they are smaller than the seconds. */
const withSpans = <Row extends WatchedRow>({ seconds, ...row }: Row) => ({ ...row, spans: spansOf(seconds) })

/** Returns what a viewer watched, the latest first, 50 per page. Errors: FORBIDDEN for support staff, INVALID_REQUEST (cursor). */
export async function listPersonVideos(
  ctx: AccountCtx,
  { reference, cursor }: z.output<typeof personVideosInput>,
): Promise<Page & { videos: (Watched & { videoId: string; title: string })[] }> {
  requireMember(ctx)
  const [at, id] = readCursor(cursor)
  const rows = await query<WatchedRow & { videoId: string; title: string }>(
    'videos-of-person',
    `SELECT p.video_id AS "videoId", v.title, ${WATCHED} FROM ${PROGRESS}
     WHERE p.viewer_id = $1 AND v.account_id = $2 AND p.last_at <= coalesce($3::timestamptz, 'infinity') AND ($3 IS NULL OR p.last_at < $3 OR p.video_id > $4)
     ORDER BY p.last_at DESC, p.video_id LIMIT $5`,
    [reference, ctx.accountId, at, id, PAGE + 1],
  )
  const page = pageOf(rows, PAGE, ({ lastAt, videoId }) => encodeCursor([lastAt.toISOString(), videoId]))
  return { videos: page.rows.map(withSpans), nextCursor: page.nextCursor }
}

/** Returns who watched a video, the latest first, 50 per page. Errors: FORBIDDEN for support staff, INVALID_REQUEST (cursor). */
export async function listWatchers(
  ctx: AccountCtx,
  { videoId, cursor }: z.output<typeof watchersInput>,
): Promise<Page & { watchers: (Watched & { reference: string; id: string })[] }> {
  requireMember(ctx)
  const [at, id] = readCursor(cursor)
  const rows = await query<WatchedRow & { reference: string; ownId: Buffer }>(
    'watchers',
    `SELECT p.viewer_id AS reference, w.own_id AS "ownId", ${WATCHED} FROM ${PROGRESS} JOIN viewer w ON w.id = p.viewer_id
     WHERE p.video_id = $1 AND v.account_id = $2 AND p.last_at <= coalesce($3::timestamptz, 'infinity') AND ($3 IS NULL OR p.last_at < $3 OR p.viewer_id > $4)
     ORDER BY p.last_at DESC, p.viewer_id LIMIT $5`,
    [videoId, ctx.accountId, at, id, PAGE + 1],
  )
  const page = pageOf(rows, PAGE, ({ lastAt, reference }) => encodeCursor([lastAt.toISOString(), reference]))
  const watchers = page.rows.map(withSpans).map(({ ownId, ...row }) => ({ ...row, id: openOwnId(row.reference, ownId) }))
  return { watchers, nextCursor: page.nextCursor }
}

/** Ends every session of a viewer. Errors: FORBIDDEN; those of `endViewer`. */
export async function endPerson(ctx: AccountCtx, { reference }: z.output<typeof personInput>): Promise<{ ended: number }> {
  requirePermission(ctx, 'videos.change')
  const { id } = await getPerson(ctx, { reference })
  const { ended } = await endViewer(ctx, { viewerId: id })
  return { ended }
}

/** Erases a viewer, and returns the ID of the receipt. Errors: FORBIDDEN; those of `eraseViewer`. */
export async function erasePerson(ctx: AccountCtx, { reference }: z.output<typeof personInput>): Promise<{ receiptId: string }> {
  requirePermission(ctx, 'videos.change')
  const { id } = await getPerson(ctx, { reference })
  const { receiptId } = await eraseViewer(ctx, { viewerId: id })
  return { receiptId }
}
