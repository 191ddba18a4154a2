import { BatchedCounts } from '../../../platform/batched-counts.ts'
import { services } from '../../../platform/container.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { keyReferenceOf } from '../tokens/token.ts'
import type { SessionOpening } from './ends.ts'

/** Seconds without activity after which a session no longer counts as a viewer: two intervals of a player's reports. */
export const LIVE_SEC = 60
/** Seconds without activity after which its row is deleted. */
const KEPT_SEC = 900

/** What a viewing report adds to the activity. `height`: of the frame, in pixels. */
interface Report {
  height: number | undefined
}

/** Activity of one session since the last flush. Times in milliseconds of the service's clock. */
interface Activity {
  videoId: string
  opening: { number: number; tokenId: string }
  keyReference: string
  beganAt: number
  seenAt: number
  reports: boolean
  height: number | undefined
}

/**
 * The activity of playback sessions: requests for playlists and keys, and viewing reports. Held in memory and written every 10 s in one
 * statement, so that a request costs no statement. Segments do not identify a session, and caches serve them.
 */
export class LiveSessions extends BatchedCounts<Map<string, Activity>> {
  private active = new Map<string, Activity>()

  constructor() {
    // A player that is still open sends more within half a minute.
    super({ everyMs: 10_000, mostUnwritten: 0, write: writeActivity, fault: 'could not write the activity of playback sessions' })
  }

  /** Notes activity of a session. Ignores members' previews, which are not viewings, and sessions without a token's ID. */
  note(videoId: string, { number, tokenId }: SessionOpening, report?: Report): void {
    const keyReference = tokenId && keyReferenceOf(tokenId)
    if (!tokenId || !keyReference) return
    const id = `${number}-${tokenId}`
    const now = serviceNow()
    const held = this.active.get(id)
    if (!held) {
      const opening = { number, tokenId }
      const reported = { reports: report !== undefined, height: report?.height }
      this.active.set(id, { videoId, opening, keyReference, beganAt: now, seenAt: now, ...reported })
      return
    }
    held.seenAt = now
    if (!report) return
    held.reports = true
    held.height = report.height ?? held.height
  }

  protected take(): Map<string, Activity> | undefined {
    const { active } = this
    if (active.size === 0) return undefined
    this.active = new Map()
    return active
  }
}

async function writeActivity(active: Map<string, Activity>): Promise<void> {
  const rows = [...active].map(([id, { opening, ...activity }]) => ({ id, ...opening, ...activity }))
  await query('flush-live-sessions', FLUSH, [JSON.stringify(rows)], vital())
}

/** Skips sessions that were ended after their last activity, whose rows `addEnd` deletes, and videos that are gone. */
const FLUSH = `
  INSERT INTO live_session AS held (id, account_id, video_id, began_at, seen_at, reports, height)
  SELECT given.id, video.account_id, video.id, to_timestamp(given."beganAt" / 1000), to_timestamp(given."seenAt" / 1000), given.reports,
    given.height
  FROM jsonb_to_recordset($1::jsonb) AS given (id text, "videoId" text, number float8, "tokenId" text, "keyReference" text,
    "beganAt" float8, "seenAt" float8, reports boolean, height int)
  JOIN video ON video.id = given."videoId"
  WHERE NOT EXISTS (SELECT FROM playback_end WHERE subject = 'video:' || given."videoId" AND playback_end.number > given.number)
    AND NOT EXISTS (SELECT FROM playback_end WHERE subject = 'token:' || given."tokenId" AND playback_end.number > given.number)
    AND NOT EXISTS (SELECT FROM playback_end WHERE subject = 'key:' || given."keyReference" AND playback_end.number > given.number)
  ORDER BY given.id COLLATE "C"
  ON CONFLICT (id) DO UPDATE SET seen_at = GREATEST(held.seen_at, EXCLUDED.seen_at),
    reports = held.reports OR EXCLUDED.reports, height = COALESCE(EXCLUDED.height, held.height)`

declare module '../../../platform/container.ts' {
  interface Services {
    liveSessions: LiveSessions
  }
}

export const liveSessions = () => services().liveSessions

/** SQL condition on rows of `live_session`: the session currently counts as a viewer. */
export const IS_LIVE = `live_session.seen_at > service_now() - interval '${LIVE_SEC} seconds'`

/** Deletes the rows of sessions without activity for 15 minutes. Runs as the job `live-session.sweep`. */
export async function pruneLiveSessions(): Promise<void> {
  await query(
    'live-session-prune',
    'DELETE FROM live_session WHERE seen_at <= service_now() - make_interval(secs => $1)',
    [KEPT_SEC],
    vital(),
  )
}
