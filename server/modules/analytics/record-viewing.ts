import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../errors.ts'
import { services } from '../../platform/container.ts'
import { query } from '../../platform/database.ts'
import type { ClientInfo } from '../auth/client-ip.ts'
import type { Throttle } from '../auth/throttle.ts'
import { liveSessions } from '../playback/live-sessions.ts'
import { refuseEnded, verifyMediaPermit } from '../playback/media-permit.ts'
import { PLAYABLE, SERVED } from '../videos/served.ts'
import { RETENTION_PARTS, STARTUP_BOUNDS, type ViewingReport } from './viewing-schema.ts'

/** Allows 60 viewers behind one address a report every 30 s, and as many reports again for pauses and exits. */
const ALLOWANCE = { burst: 240, everyMs: 250 }

/** The counted values of a viewing, which prevent double counts. In memory: a restart resets them. */
interface Viewing {
  since: number
  played: boolean
  watchMs: number
  errors: number
  reached: Set<number>
}

declare module '../../platform/container.ts' {
  interface Services {
    viewingThrottle: Throttle
    /** By video and session. */
    viewings: LRUCache<string, Viewing>
  }
}

const throttle = () => services().viewingThrottle
export const makeViewings = () => new LRUCache<string, Viewing>({ max: 50_000 })
const viewings = () => services().viewings

/** Milliseconds; exceeds a player's interval between reports. */
const SLACK_MS = 60_000
const MAX_ERRORS = 10

/**
 * Adds a report to its video's UTC day (database clock), if the session's permit is for the video. The report of an ended session counts and
 * is then refused, so that its player stops. Limits the watch time to the time since the first report; a viewing counts as one play.
 * Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, TOO_MANY_ATTEMPTS. Ignores deleted videos.
 */
export async function recordViewing(visitor: ClientInfo, { videoId, ...report }: ViewingReport & { videoId: string }): Promise<void> {
  const session = verifyMediaPermit(videoId, report.permit, 'session')
  const wait = throttle().take(`${visitor.address}:${videoId}`, ALLOWANCE)
  if (wait > 0) {
    const message = 'Too many reports from this IP address. Send fewer requests.'
    throw new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter: Math.ceil(wait / 1_000) })
  }
  const news = takeNews(`${videoId}:${report.session}`, report)
  const { plays, watchMs, rebufferMs, rebuffers, errors, startup, retention } = news
  const arrays = [startup, retention].map((list) => `{${list.join(',')}}`)
  await query('viewing-record', RECORD, [videoId, plays, watchMs, rebufferMs, rebuffers, errors, ...arrays])
  if (session.purpose !== 'session') return
  await refuseEnded(videoId, session.opening)
  liveSessions().note(videoId, session.opening, { height: report.height })
}

const RECORD = `
  INSERT INTO view_day AS held (video_id, account_id, day, plays, watch_ms, rebuffer_ms, rebuffers, errors, startup, retention)
  SELECT id, account_id, (service_now() AT TIME ZONE 'UTC')::date, $2, $3, $4, $5, $6, $7::int[], $8::int[]
  FROM video WHERE id = $1 AND ${SERVED} AND ${PLAYABLE}
  ON CONFLICT (video_id, day) DO UPDATE SET
    plays = held.plays + EXCLUDED.plays,
    watch_ms = held.watch_ms + EXCLUDED.watch_ms,
    rebuffer_ms = held.rebuffer_ms + EXCLUDED.rebuffer_ms,
    rebuffers = held.rebuffers + EXCLUDED.rebuffers,
    errors = held.errors + EXCLUDED.errors,
    startup = (SELECT array_agg(a + b ORDER BY at) FROM unnest(held.startup, EXCLUDED.startup) WITH ORDINALITY AS sums (a, b, at)),
    retention = (SELECT array_agg(a + b ORDER BY at) FROM unnest(held.retention, EXCLUDED.retention) WITH ORDINALITY AS sums (a, b, at))`

/** Returns the part of a report that is plausible and not counted yet. */
function takeNews(name: string, report: Omit<ViewingReport, 'permit' | 'session'>) {
  const now = performance.now()
  const viewing = viewings().get(name) ?? { since: now, played: false, watchMs: 0, errors: 0, reached: new Set<number>() }
  viewings().set(name, viewing)
  const left = Math.floor(now - viewing.since) + SLACK_MS - viewing.watchMs
  const watchMs = Math.max(0, Math.min(report.watchMs, left))
  const rebufferMs = Math.max(0, Math.min(report.rebufferMs, left - watchMs))
  viewing.watchMs += watchMs + rebufferMs
  const errors = Math.min(report.errors, MAX_ERRORS - viewing.errors)
  viewing.errors += errors
  const starts = report.startupMs !== undefined && !viewing.played
  viewing.played ||= starts
  const startup = new Array<number>(STARTUP_BOUNDS.length + 1).fill(0)
  if (starts) startup[bucketOf(report.startupMs as number)] = 1
  const retention = new Array<number>(RETENTION_PARTS).fill(0)
  for (const stretch of report.reached) {
    if (!viewing.reached.has(stretch)) retention[stretch] = 1
    viewing.reached.add(stretch)
  }
  const rebuffers = rebufferMs > 0 ? report.rebuffers : 0
  return { plays: starts ? 1 : 0, watchMs, rebufferMs, rebuffers, errors, startup, retention }
}

/** Returns the index of the bucket for a start-up time in milliseconds. */
export function bucketOf(startupMs: number): number {
  const at = STARTUP_BOUNDS.findIndex((bound) => startupMs <= bound)
  return at < 0 ? STARTUP_BOUNDS.length : at
}
