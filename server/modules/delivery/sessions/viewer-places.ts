import { LRUCache } from 'lru-cache'
import { services } from '../../../platform/container.ts'
import { db, query, type Tx, vital } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { inOrder } from '../../../platform/turns/request-turns.ts'
import { lifetime, RENEWAL_SEC } from '../../access/keys/validity.ts'
import { sealOwnId, viewerReference } from '../../identity/viewers/reference.ts'
import type { PlayableVideo } from '../tokens/playable.ts'
import { notAllowed, type SessionPolicy } from '../tokens/policy.ts'
import { addEnd, sessionEnded } from './ends.ts'

/** Seconds after a session's last playlist, key or report until its place is free. */
export const IDLE_SEC = 60
/** A session admitted less than this ago costs no statement, because several files are fetched at once. */
const FRESH_MS = 10_000

declare module '../../../platform/container.ts' {
  interface Services {
    /** When this process last confirmed a session's place, in milliseconds of `performance.now()`, by token. */
    viewerPlaces: LRUCache<string, number>
  }
}

export const makeViewerPlaces = () => new LRUCache<string, number>({ max: 100_000 })
const confirmed = () => services().viewerPlaces

/** A viewer's session, to be admitted. */
export interface ViewerSession {
  tokenId: string
  /** Number of the last end of playback before it (`SessionOpening`). */
  number: number
  /** When its token was issued, for one that opens now. */
  issuedAt?: Date
  video: PlayableVideo | undefined
}

/**
 * Gives a session one of its viewer's places, or confirms the one it holds. A session without a viewer, or of a fixture, needs none. Exact
 * across all processes. With `onLimit` end-oldest, ends the sessions whose places it takes. Errors: PLAYBACK_NOT_ALLOWED, with
 * `details.reason` SESSIONS, and PLAYBACK_TOKEN_EXPIRED for a session that was ended.
 */
export async function holdPlace(session: ViewerSession, { viewer, maxSessions, onLimit, test }: SessionPolicy): Promise<void> {
  const { tokenId, number, issuedAt, video } = session
  // A fixture viewer has no place (fixture-viewers.ts). A program reads what it would of a viewer who has one.
  if (maxSessions === 0) throw notAllowed('SESSIONS', REFUSED, { maxSessions: 1, sessions: 1 })
  if (!viewer || !video?.accountId) return
  // Only the database knows whether the viewer of a session that opens was erased.
  if (issuedAt === undefined && isFresh(tokenId)) return
  const { accountId } = video
  const lastsSec = Math.max(RENEWAL_SEC, lifetime(video.durationSec))
  const reference = await viewerReference(accountId, viewer.id)
  const admit = (tx: Tx) => tx.$queryRaw<{ admitted: boolean; ended: boolean; others: number; displaced: string[] }[]>`
    SELECT admitted, ended, others, displaced FROM admit_viewer_session(${accountId}, ${reference}, ${sealOwnId(reference, viewer.id)}, ${tokenId},
      ${video.id}, ${number}::bigint, ${issuedAt ?? null}::timestamptz, ${lastsSec}::float8, ${maxSessions ?? null}::int, ${onLimit === 'end-oldest'},
      ${IDLE_SEC}::float8, ${test === true})`
  const work = async (tx: Tx) => {
    const [row] = await admit(tx)
    if (row?.displaced.length) await addEnd(tx, accountId, { tokenIds: row.displaced })
    return row
  }
  // One viewer's calls would wait for the lock on its row, each holding a connection.
  const row = await inOrder(accountId, reference, () => db().$transaction(work))
  if (row?.ended) throw sessionEnded()
  if (!row?.admitted) throw notAllowed('SESSIONS', REFUSED, { maxSessions, sessions: row?.others })
  confirmed().set(tokenId, performance.now())
}

const REFUSED =
  'This person is already watching in as many places as allowed. Stop another video first, then try again. It can take up to a minute.'

const isFresh = (tokenId: string) => performance.now() - (confirmed().get(tokenId) ?? Number.NEGATIVE_INFINITY) < FRESH_MS

/** Frees a session's place at once, after its player said that it ended. It takes one again when it continues. */
export async function leavePlace(tokenId: string): Promise<void> {
  // A page that closes sends two reports: the first one, arriving last, must not take the place again.
  confirmed().set(tokenId, performance.now())
  await query('leave-viewer-place', 'UPDATE viewer_session SET seen_at = NULL WHERE token_id = $1', [tokenId], vital())
}

/** Lets the next request of a session ask for a place, after its player said that it continues. */
export const returnToPlace = (tokenId: string): boolean => confirmed().delete(tokenId)

/**
 * Deletes the rows of sessions that ended more than `keptDays` ago. Until then the request log has their calls, which an erasure finds by
 * their tokens. Runs with the job `session.sweep`.
 */
export async function pruneViewerSessions(keptDays: number, signal?: AbortSignal): Promise<void> {
  await deleteInSlices('viewer_session', `expires_at <= service_now() - interval '${keptDays} days'`, [], signal)
}
