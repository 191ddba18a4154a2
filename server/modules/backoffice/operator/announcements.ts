import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, query } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { recordOperator } from '../../audit/operator-log.ts'
import { type OperatorCtx, requireCurrentOperator } from './roles.ts'
import type { AnnounceInput, AnnouncementIdInput } from './schema.ts'
import type { AnnouncementLevel } from './state.ts'

/** A message that dashboards show. */
export interface ShownAnnouncement {
  id: string
  level: AnnouncementLevel
  message: string
}

export interface Announcement extends ShownAnnouncement {
  startsAt: Date
  /** null: until an operator ends it. */
  endsAt: Date | null
  state: 'scheduled' | 'shown' | 'ended'
  /** Number of users who dismissed it. */
  dismissals: number
}

const LIST = `
  SELECT a.id, a.level, a.message, a.starts_at AS "startsAt", a.ends_at AS "endsAt",
    CASE WHEN a.ends_at <= service_now() THEN 'ended' WHEN a.starts_at > service_now() THEN 'scheduled' ELSE 'shown' END AS state,
    coalesce(d.dismissals, 0) AS dismissals
  FROM announcement a LEFT JOIN (
    SELECT dismissed AS id, count(*)::int AS dismissals FROM app_user, unnest(dismissed_announcements) AS dismissed GROUP BY 1) d USING (id)
  ORDER BY a.created_at DESC, a.id LIMIT 100`

/** Returns the last 100 announcements, newest first. Errors: as `requireCurrentOperator`. */
export async function listAnnouncements(ctx: OperatorCtx): Promise<Announcement[]> {
  await requireCurrentOperator(db(), ctx)
  return query<Announcement & { [column: string]: unknown }>('announcements', LIST, [])
}

/** Adds an announcement, which all dashboards show from its start to its end. Errors: as `requireCurrentOperator`. */
export async function announce(ctx: OperatorCtx, { level, message, startsAt, endsAt }: AnnounceInput): Promise<{ announcementId: string }> {
  const id = newId('ann')
  await db().$transaction(async (tx) => {
    await requireCurrentOperator(tx, ctx)
    await tx.$executeRaw`
      INSERT INTO announcement (id, level, message, starts_at, ends_at)
      VALUES (${id}, ${level}, ${message}, coalesce(${startsAt ?? null}::timestamptz, service_now()), ${endsAt ?? null}::timestamptz)`
    const after = { level, message, startsAt: startsAt?.toISOString() ?? null, endsAt: endsAt?.toISOString() ?? null }
    await recordOperator(tx, ctx.by, { action: 'announcement.add', subject: id, after })
  })
  return { announcementId: id }
}

/** Ends an announcement now; one that has not started never appears. Errors: NOT_FOUND, CONFLICT when it has already ended. */
export async function endAnnouncement(ctx: OperatorCtx, { announcementId }: AnnouncementIdInput): Promise<void> {
  await db().$transaction(async (tx) => {
    await requireCurrentOperator(tx, ctx)
    const [found] = await tx.$queryRaw<{ over: boolean }[]>`
      SELECT coalesce(ends_at <= service_now(), false) AS over FROM announcement WHERE id = ${announcementId} FOR UPDATE`
    if (!found) throw new ServiceError('NOT_FOUND', { message: 'No such announcement exists.' })
    if (found.over) throw new ServiceError('CONFLICT', { message: 'This announcement has already ended.' })
    await tx.$executeRaw`
      UPDATE announcement SET starts_at = least(starts_at, service_now()), ends_at = service_now() WHERE id = ${announcementId}`
    await recordOperator(tx, ctx.by, { action: 'announcement.end', subject: announcementId })
  })
}

const SHOWN = `
  SELECT id, level, message FROM announcement a
  WHERE starts_at <= service_now() AND (ends_at IS NULL OR ends_at > service_now())
    AND NOT EXISTS (SELECT 1 FROM app_user u WHERE u.id = $1 AND a.id = ANY (u.dismissed_announcements))
  ORDER BY array_position(ARRAY['critical', 'warning', 'info'], level), starts_at DESC LIMIT 5`

/** Returns at most 5 announcements that the user has not dismissed, most serious first. */
export async function shownAnnouncements({ actor }: AccountCtx): Promise<ShownAnnouncement[]> {
  const userId = 'userId' in actor ? actor.userId : ''
  return query<ShownAnnouncement & { [column: string]: unknown }>('announcements-shown', SHOWN, [userId])
}

const DISMISS = `
  UPDATE app_user SET dismissed_announcements = array_append(dismissed_announcements, $1)
  WHERE id = $2 AND $1 <> ALL (dismissed_announcements) AND EXISTS (SELECT 1 FROM announcement WHERE id = $1)`

/** Hides an announcement from the signed-in user, in every account and browser. */
export async function dismissAnnouncement(ctx: AccountCtx, { announcementId }: AnnouncementIdInput): Promise<void> {
  await query('announcement-dismiss', DISMISS, [announcementId, requireUser(ctx).userId])
}
