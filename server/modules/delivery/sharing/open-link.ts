import { env } from '../../../platform/config/config.ts'
import { services } from '../../../platform/container.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { BEARER } from '../../audit/content-access.ts'
import type { ClientInfo } from '../../identity/sign-in/client-ip.ts'
import { type RateLimit, type Throttle, throwTooManyAttempts } from '../../identity/sign-in/throttle.ts'
import { SERVED } from '../../videos/owned-video.ts'
import { lastEnd } from '../sessions/ends.ts'
import { permittedUrl } from '../sessions/media-permit.ts'
import { playableVideo } from '../tokens/playable.ts'
import { newLinkTokenId, signToken } from '../tokens/token.ts'
import { shareState } from './links.ts'
import type { ShareState } from './schema.ts'

/** One address's requests for links, whether they exist or not. An office behind one address stays below it. */
const PAGES: RateLimit = { burst: 120, everyMs: 500 }
/** Views that one address starts. */
const VIEWS: RateLimit = { burst: 30, everyMs: 4_000 }
/** Poster URLs last one to two days: sites cache a link's preview. */
const POSTER_HOURS = 24

declare module '../../../platform/container.ts' {
  interface Services {
    shareThrottle: Throttle
  }
}

function limit(kind: string, { address }: ClientInfo, rate: RateLimit): void {
  const waitMs = services().shareThrottle.take(`${kind} ${address}`, rate)
  if (waitMs > 0) throwTooManyAttempts(waitMs)
}

/** Why a link opens no video: its own state, or its video's. */
export type ShareRefusal = Exclude<ShareState, 'active'> | 'unknown' | 'processing' | 'unavailable'

/** A link's video, if it can be watched. */
export interface SharedVideo {
  title: string
  /** Seconds. 0 until it is known. */
  durationSec: number
  posterUrl: string | null
  unfurls: boolean
}

interface Row {
  id: string
  videoId: string
  expiresAt: Date
  revokedAt: Date | null
  maxViews: number | null
  views: number
  unfurls: boolean
  title: string
  durationSec: number
  poster: string | null
  served: boolean
}

const FIND = `
  SELECT share_link.id, video.id AS "videoId", expires_at AS "expiresAt", revoked_at AS "revokedAt", max_views AS "maxViews", views, unfurls,
    title, duration_sec AS "durationSec", poster, ${SERVED} AS served
  FROM share_link JOIN video ON video.id = share_link.video_id WHERE token_hash = $1`

async function find(token: string): Promise<{ row: Row } | { refused: ShareRefusal }> {
  const [row] = /^\w{22}$/.test(token) ? await query<Row>('share-link', FIND, [sha256(token)], vital()) : []
  if (!row) return { refused: 'unknown' }
  const state = shareState(row)
  if (state !== 'active') return { refused: state }
  if (!row.served) return { refused: 'unavailable' }
  return (await playableVideo(row.videoId))?.isReady ? { row } : { refused: 'processing' }
}

/** Returns a link's video, or why it cannot be watched. Counts no view. Errors: TOO_MANY_ATTEMPTS. */
export async function findShared(client: ClientInfo, token: string): Promise<SharedVideo | { refused: ShareRefusal }> {
  limit('page', client, PAGES)
  const found = await find(token)
  if ('refused' in found) return found
  const { videoId, title, durationSec, poster, unfurls } = found.row
  return { title, durationSec, posterUrl: poster && permittedUrl(BEARER, videoId, 'poster.jpg', POSTER_HOURS), unfurls }
}

const COUNT = `
  UPDATE share_link SET views = views + 1, last_viewed_at = service_now()
  WHERE id = $1 AND revoked_at IS NULL AND expires_at > service_now() AND (max_views IS NULL OR views < max_views) RETURNING id`

/**
 * Starts a view of a link: counts it and returns the player's URL. Its session ends with the link. Uses no quota. Errors:
 * TOO_MANY_ATTEMPTS.
 */
export async function openShareLink(client: ClientInfo, token: string): Promise<{ playerUrl: string } | { refused: ShareRefusal }> {
  limit('view', client, VIEWS)
  // Read first, so that a revocation that commits in the meantime ends this session too.
  const number = await lastEnd()
  const found = await find(token)
  if ('refused' in found) return found
  const { id, videoId, expiresAt } = found.row
  const [counted] = await query<{ id: string }>('share-link-view', COUNT, [id], vital())
  // Since it was read, the last permitted view was started, or the link revoked.
  if (!counted) {
    const again = await find(token)
    return 'refused' in again ? again : { refused: 'unavailable' }
  }
  const jti = newLinkTokenId(id, { number, expiresAt: Math.floor(expiresAt.getTime() / 1_000) })
  const playback = await signToken(BEARER, { videoId, jti, iat: Math.floor(serviceNow() / 1_000) })
  return { playerUrl: `${env().SDK_URL}/embed/${videoId}?token=${playback}&autoplay=1&title=0` }
}
