import { type AccountCtx, requireUser } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import type { ShownAnnouncement } from './announcements.ts'
import type { AnnouncementIdInput } from './schema.ts'

const SHOWN = `
  SELECT id, level, message FROM announcement a
  WHERE starts_at <= service_now() AND (ends_at IS NULL OR ends_at > service_now())
    AND NOT EXISTS (SELECT 1 FROM announcement_dismissal d WHERE d.announcement_id = a.id AND d.user_id = $1)
  ORDER BY array_position(ARRAY['critical', 'warning', 'info'], level), starts_at DESC LIMIT 5`

/** Returns the announcements that the caller's dashboard shows now: those the user has not dismissed, the most serious first; at most 5. */
export async function shownAnnouncements({ actor }: AccountCtx): Promise<ShownAnnouncement[]> {
  const userId = 'userId' in actor ? actor.userId : ''
  return query<ShownAnnouncement & { [column: string]: unknown }>('announcements-shown', SHOWN, [userId])
}

const DISMISS = `
  INSERT INTO announcement_dismissal (announcement_id, user_id) SELECT id, $2 FROM announcement WHERE id = $1 ON CONFLICT DO NOTHING`

/** Hides an announcement from the signed-in user, in every account and browser. */
export async function dismissAnnouncement(ctx: AccountCtx, { announcementId }: AnnouncementIdInput): Promise<void> {
  await query('announcement-dismiss', DISMISS, [announcementId, requireUser(ctx).userId])
}
