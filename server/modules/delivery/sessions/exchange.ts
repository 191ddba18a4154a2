import type { z } from 'zod'
import { isServiceError, ServiceError } from '../../../errors.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { type MaybePromise, withBoth } from '../../../platform/maybe-promise.ts'
import { TOKEN_LIFETIME_SEC } from '../../access/keys/validity.ts'
import type { playbackManifest } from '../schema.ts'
import { type PlayableVideo, playableVideo } from '../tokens/playable.ts'
import { offeredQualities, openLabel, openPolicy, requireAllowed, type SessionPolicy } from '../tokens/policy.ts'
import { type LinkTerms, linkTermsOf, verifyToken } from '../tokens/token.ts'
import { resumePosition } from '../viewers/progress.ts'
import { noteViewer } from '../viewers/viewers.ts'
import { lastEnd } from './ends.ts'
import { masterPlaylistUrl, refuseEnded } from './media-permit.ts'
import { holdPlace } from './viewer-places.ts'

/** `about`: the video's account and the token's ID. */
interface ExchangeResult {
  data: z.output<typeof playbackManifest>
  about: { accountId: string | undefined; videoId: string; tokenId: string }
}

interface ExchangeInput {
  token: string
  videoId?: string
  exchangeId?: string
  /** False for a request without a body, such as HEAD, which opens no session. */
  opens?: boolean
}

/**
 * Exchanges a playback token for the master playlist's URL (specification §4.4). `videoId`, if given, must be the token's. Errors, in this
 * order: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, PLAYBACK_TOKEN_INVALID (other video), PLAYBACK_TOKEN_EXPIRED (from a share link
 * that ended), VIDEO_NOT_FOUND, VIDEO_NOT_READY, PLAYBACK_NOT_ALLOWED (by the token's policy), PLAYBACK_TOKEN_EXPIRED (from a
 * share link, already exchanged).
 */
export function exchangeToken(input: ExchangeInput): MaybePromise<ExchangeResult> {
  const facts = verifyToken(input.token)
  const { videoId } = facts
  if (input.videoId !== undefined && input.videoId !== videoId) throw new ServiceError('PLAYBACK_TOKEN_INVALID', { about: aboutOf(facts) })
  const link = linkTermsOf(facts.jti)
  if (link) return exchangeOfLink(facts, link, input)
  // Read before the video, so that an end that commits in the meantime ends this session too.
  const number = lastEnd()
  if (facts.policy !== undefined) return exchangeWithPolicy(facts, facts.policy, number, input)
  return withBoth(playableVideo(videoId), number, (video, last) => exchanged(video, facts, last))
}

async function exchangeWithPolicy(
  facts: VerifiedFacts,
  sealed: string,
  number: MaybePromise<number>,
  { opens = true }: Pick<ExchangeInput, 'opens'>,
): Promise<ExchangeResult> {
  const terms = openPolicy(facts.jti, sealed)
  const last = await number
  const video = await playableVideo(facts.videoId)
  const result = exchanged(video, facts, last, terms)
  try {
    await requireAllowed(terms)
    if (opens) await holdPlace({ tokenId: facts.jti, number: last, issuedAt: issuedAt(facts, terms), video }, terms)
  } catch (error) {
    // The account that issued the token finds the refusal in its request log.
    if (isServiceError(error)) {
      const viewerId = error.code === 'PLAYBACK_NOT_ALLOWED' ? await refusedViewer(video?.accountId, facts, terms) : undefined
      error.extras.about = { accountId: video?.accountId, ...aboutOf(facts), viewerId }
    }
    throw error
  }
  const { viewer, resume } = terms
  const resumeAt = viewer && resume && video?.accountId ? await resumePosition(video.accountId, viewer.id, facts.videoId) : undefined
  const watermark = facts.watermark === undefined ? undefined : { label: openLabel(facts.jti, facts.watermark) }
  return { ...result, data: { ...result.data, ...(resumeAt !== undefined && { resumeAt }), ...(watermark && { watermark }) } }
}

/** Returns the reference of a viewer who is refused, by which the request log names them. */
const refusedViewer = (accountId: string | undefined, facts: VerifiedFacts, terms: SessionPolicy) =>
  accountId && terms.viewer ? noteViewer(accountId, terms.viewer.id, issuedAt(facts, terms)) : undefined

const issuedAt = ({ iat }: VerifiedFacts, { issuedMs = 0 }: SessionPolicy) => new Date(iat * 1_000 + issuedMs)

type VerifiedFacts = ReturnType<typeof verifyToken>

/**
 * A share link's token opens one session, since a link permits a number of views. The session counts as opened when the token was issued,
 * so that the link's end also ends what is exchanged later.
 */
async function exchangeOfLink(
  facts: VerifiedFacts,
  { number, expiresAt }: LinkTerms,
  { exchangeId, opens = true }: Pick<ExchangeInput, 'exchangeId' | 'opens'>,
): Promise<ExchangeResult> {
  await refuseEnded(facts.videoId, { number, tokenId: facts.jti })
  const { data, about } = exchanged(await playableVideo(facts.videoId), facts, number)
  if (opens) await exchangeOnce(facts.jti, exchangeId)
  const last = Math.min(Date.parse(data.sessionExpiresAt), expiresAt * 1_000)
  return { data: { ...data, sessionExpiresAt: new Date(last).toISOString() }, about }
}

const aboutOf = ({ videoId, jti }: VerifiedFacts) => ({ videoId, tokenId: jti })

function exchanged(video: PlayableVideo | undefined, facts: VerifiedFacts, number: number, terms: SessionPolicy = {}): ExchangeResult {
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND', { about: aboutOf(facts) })
  const { status, isReady } = video
  if (!isReady) throw new ServiceError('VIDEO_NOT_READY', { details: { status }, about: aboutOf(facts) })
  const { url, sessionExpiresAt } = masterPlaylistUrl(video.id, video.durationSec, { number, tokenId: facts.jti, policy: facts.policy })
  const data = {
    masterPlaylistUrl: url,
    qualities: terms.maxHeight === undefined ? video.qualities : [...offeredQualities(video.qualities, terms)],
    encrypted: video.encrypted,
    expiresAt: new Date(facts.exp * 1000).toISOString(),
    sessionExpiresAt: sessionExpiresAt.toISOString(),
  }
  return { data, about: { accountId: video.accountId, ...aboutOf(facts) } }
}

/** A row is needed until its token has expired everywhere. Each exchange deletes a few older ones. */
const ONCE = `
  WITH old AS (
    DELETE FROM link_exchange WHERE token_id IN (
      SELECT token_id FROM link_exchange WHERE at < service_now() - make_interval(secs => ${2 * TOKEN_LIFETIME_SEC}) AND token_id <> $1
      ORDER BY at LIMIT 20 FOR UPDATE SKIP LOCKED))
  INSERT INTO link_exchange AS held (token_id, exchange_id) VALUES ($1, $2)
  ON CONFLICT (token_id) DO UPDATE SET exchange_id = held.exchange_id WHERE held.exchange_id = excluded.exchange_id
  RETURNING token_id`

/**
 * Records the exchange of a share link's token, which opens one session. A page that repeats its own exchange after losing a response
 * passes the same `exchangeId`. Errors: PLAYBACK_TOKEN_EXPIRED, with `details.reason` ALREADY_EXCHANGED, for any other one.
 */
async function exchangeOnce(tokenId: string, exchangeId: string | undefined): Promise<void> {
  if ((await query('link-exchange', ONCE, [tokenId, exchangeId ?? null], vital())).length > 0) return
  throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', {
    message: 'This share link’s token was already used. Open the link again for another view.',
    details: { reason: 'ALREADY_EXCHANGED' },
  })
}
