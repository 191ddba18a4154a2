import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../errors.ts'
import { services } from '../../../platform/container.ts'
import { countries } from '../../../platform/network/countries.ts'
import { type ClientKind, clientKind } from '../../../platform/network/user-agent.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { inOrder } from '../../../platform/turns/request-turns.ts'
import type { SessionOpening } from '../../delivery/sessions/ends.ts'
import { liveSessions } from '../../delivery/sessions/live-sessions.ts'
import { requireOpen, verifyMediaPermit } from '../../delivery/sessions/media-permit.ts'
import { leavePlace, returnToPlace } from '../../delivery/sessions/viewer-places.ts'
import { playableVideo } from '../../delivery/tokens/playable.ts'
import { openPolicy } from '../../delivery/tokens/policy.ts'
import { keyReferenceOf } from '../../delivery/tokens/token.ts'
import { recordProgress } from '../../delivery/viewers/progress.ts'
import type { ClientInfo } from '../../identity/sign-in/client-ip.ts'
import type { Throttle } from '../../identity/sign-in/throttle.ts'
import { viewerReference } from '../../identity/viewers/reference.ts'
import { UNKNOWN } from './viewer-limits.ts'
import type { ViewerFacts, ViewingNews } from './viewing-batch.ts'
import { viewingCounts } from './viewing-counts.ts'
import { RETENTION_PARTS, STARTUP_BOUNDS, type ViewingReport } from './viewing-schema.ts'

/** Allows 60 viewers behind one address a report every 30 s, and as many more for pauses and exits. */
const ALLOWANCE = { burst: 240, everyMs: 250 }

/** The values of a viewing counted so far, which prevent double counts. In memory: a restart resets them. */
interface Viewing {
  since: number
  played: boolean
  watchMs: number
  errors: number
  reached: Set<number>
}

declare module '../../../platform/container.ts' {
  interface Services {
    viewingThrottle: Throttle
    /** By video and session. */
    viewings: LRUCache<string, Viewing>
    /** By user agent. */
    clientKinds: LRUCache<string, ClientKind>
  }
}

const throttle = () => services().viewingThrottle
export const makeViewings = () => new LRUCache<string, Viewing>({ max: 50_000 })
const viewings = () => services().viewings
export const makeClientKinds = () => new LRUCache<string, ClientKind>({ max: 1_000 })
const kinds = () => services().clientKinds

/** Milliseconds. Exceeds a player's interval between reports. */
const SLACK_MS = 60_000
const MAX_ERRORS = 10

/**
 * Counts a report for its video's UTC day (database clock), if the session's permit is for the video. The report of a session that was
 * ended, or that its policy does not allow from here, counts and is then refused, so that its player stops. Limits the watch time to the
 * time since the first report. A viewing counts as one play. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED,
 * PLAYBACK_NOT_ALLOWED, TOO_MANY_ATTEMPTS. Does not count deleted videos and test keys.
 */
export async function recordViewing(visitor: ClientInfo, { videoId, ...report }: ViewingReport & { videoId: string }): Promise<void> {
  const session = verifyMediaPermit(videoId, report.permit, 'session')
  const wait = throttle().take(`${visitor.address}:${videoId}`, ALLOWANCE)
  if (wait > 0) {
    const message = 'Too many reports from this IP address. Send fewer requests.'
    throw new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter: Math.ceil(wait / 1_000) })
  }
  const name = `${videoId}:${report.session}`
  const opening = session.purpose === 'session' ? session.opening : undefined
  const reference = (opening?.tokenId && keyReferenceOf(opening.tokenId)) || ''
  const facts = await factsOf(visitor, report)
  viewingCounts().add({ id: sha256(name).toString('base64url').slice(0, 22), videoId, reference }, facts, takeNews(name, report))
  if (!opening) return
  await noteProgress(videoId, opening, report)
  if (report.left !== undefined && opening.tokenId && opening.policy) {
    if (report.left) return leavePlace(opening.tokenId)
    returnToPlace(opening.tokenId)
  }
  await requireOpen(videoId, opening)
  liveSessions().note(videoId, opening, { height: report.height })
}

/** Stores what a viewer with an ID watched; other sessions leave no trace of it. */
async function noteProgress(
  videoId: string,
  { tokenId, policy }: SessionOpening,
  { spans, positionSec }: Partial<ViewingReport>,
): Promise<void> {
  if (!tokenId || !policy || !spans || positionSec === undefined) return
  const { viewer, test: isTest } = openPolicy(tokenId, policy)
  if (!viewer) return
  const { accountId, durationSec } = (await playableVideo(videoId)) ?? {}
  if (!accountId || durationSec === undefined) return
  // One viewer's reports would wait for the lock on its row, each holding a connection.
  const write = () => recordProgress(tokenId, durationSec, { spans, positionSec, isTest })
  await inOrder(accountId, await viewerReference(accountId, viewer.id), write)
}

/** Returns the values to count. The address is looked up here and goes no further. */
async function factsOf({ remote = '', userAgent = '' }: ClientInfo, { page = UNKNOWN }: Pick<ViewingReport, 'page'>): Promise<ViewerFacts> {
  const kind = kinds().get(userAgent) ?? clientKind(userAgent.slice(0, 500))
  kinds().set(userAgent, kind)
  return { country: (await countries())(remote) ?? UNKNOWN, ...kind, referrer: page.replace(/^www\./, '') }
}

/** Returns the part of a report that is plausible and not counted yet. */
function takeNews(name: string, report: Omit<ViewingReport, 'permit' | 'session'>): ViewingNews {
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
  const startup = starts ? bucketOf(report.startupMs as number) : undefined
  const retention = new Array<number>(RETENTION_PARTS).fill(0)
  for (const stretch of report.reached) {
    if (!viewing.reached.has(stretch)) retention[stretch] = 1
    viewing.reached.add(stretch)
  }
  const rebuffers = rebufferMs > 0 ? report.rebuffers : 0
  return { watchMs, rebufferMs, rebuffers, errors, errorKind: report.errorKind, startup, retention, heights: heightsOf(report, watchMs) }
}

/** Divides the counted watch time among the frame heights, in the report's ratio. 0: unknown. */
function heightsOf(
  { watched, height, watchMs }: Pick<ViewingReport, 'watched' | 'height' | 'watchMs'>,
  counted: number,
): [number, number][] {
  const said = watched ?? [[height ?? 0, watchMs] as const]
  const total = Math.max(
    watchMs,
    said.reduce((sum, [, ms]) => sum + ms, 0),
  )
  const parts = said.map(([pixels, ms]): [number, number] => [pixels, total > 0 ? Math.floor((ms * counted) / total) : 0])
  const known = parts.reduce((sum, [, ms]) => sum + ms, 0)
  return counted > known ? [...parts, [parts[0]?.[0] ?? 0, counted - known]] : parts
}

/** Returns the index of the bucket for a startup time in milliseconds. */
export function bucketOf(startupMs: number): number {
  const at = STARTUP_BOUNDS.findIndex((bound) => startupMs <= bound)
  return at < 0 ? STARTUP_BOUNDS.length : at
}
