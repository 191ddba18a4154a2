import type { AccountId } from '../../../context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { keyReference } from '../tokens/token-id.ts'

/** Scope of an end of playback: all sessions of a video, of all tokens that an API key issued, or of one token (its `jti`). */
export type EndSubject = { videoId: string } | { keyId: string } | { tokenId: string }
/** Those, or all sessions of a share link. */
type Subject = EndSubject | { linkId: string }

const subjectOf = (what: Subject): string => {
  if ('videoId' in what) return `video:${what.videoId}`
  return 'tokenId' in what ? `token:${what.tokenId}` : `key:${issuerOf(what)}`
}

/** Tokens name their issuer, a key or a link, in the same way. */
const issuerOf = (what: { keyId: string } | { linkId: string }) => keyReference('keyId' in what ? what.keyId : what.linkId)

/** Minimum retention of an end in seconds; no session is renewed for longer. */
const LEAST_SEC = 7 * 86_400

/**
 * Ends playback within the caller's transaction: when it commits, every process refuses every session opened before. Checks neither
 * permission nor ownership and writes no audit row; `endPlayback` does. Ends are serialized until their transactions end, so call
 * it late in a transaction and after its other locks.
 */
export async function addEnd(tx: Tx, accountId: AccountId, what: Subject): Promise<void> {
  await tx.$executeRaw`
    WITH next AS (UPDATE playback_end_last SET number = number + 1 RETURNING number)
    INSERT INTO playback_end AS held (subject, account_id, number, expires_at)
    SELECT ${subjectOf(what)}, ${accountId}, next.number, service_now() + make_interval(secs => GREATEST(${LEAST_SEC}::float8,
      (SELECT 2 * max(duration_sec) FROM video WHERE account_id = ${accountId})))
    FROM next
    ON CONFLICT (subject) DO UPDATE SET number = EXCLUDED.number, ended_at = EXCLUDED.ended_at, expires_at = EXCLUDED.expires_at`
  await deleteLiveSessions(tx, accountId, what)
}

/** Ended sessions are no viewers. Their ids are `<number>-<jti>`, and a `jti` ends with the reference of its key. */
async function deleteLiveSessions(tx: Tx, accountId: AccountId, what: Subject): Promise<void> {
  if ('videoId' in what) await tx.$executeRaw`DELETE FROM live_session WHERE account_id = ${accountId} AND video_id = ${what.videoId}`
  else if ('tokenId' in what)
    await tx.$executeRaw`DELETE FROM live_session WHERE account_id = ${accountId} AND split_part(id, '-', 2) = ${what.tokenId}`
  else await tx.$executeRaw`DELETE FROM live_session WHERE account_id = ${accountId} AND right(id, 17) = ${`_${issuerOf(what)}`}`
}
