import type { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { type MaybePromise, withBoth } from '../../../platform/maybe-promise.ts'
import type { playbackManifest } from '../schema.ts'
import { type PlayableVideo, playableVideo } from '../tokens/playable.ts'
import { type TokenFacts, verifyToken } from '../tokens/token.ts'
import { type LinkTerms, linkTermsOf } from '../tokens/token-id.ts'
import { lastEnd } from './ends.ts'
import { exchangeOnce } from './exchange-once.ts'
import { masterPlaylistUrl, refuseEnded } from './media-permit.ts'

/** `about`: the video's account and the token's id. */
export interface ExchangeResult {
  data: z.output<typeof playbackManifest>
  about: { accountId: string | undefined; videoId: string; tokenId: string }
}

interface ExchangeInput {
  token: string
  videoId?: string
  exchangeId?: string
  /** False for a request without a body, such as HEAD: it opens no session. */
  opens?: boolean
}

/**
 * Exchanges a playback token for the URL of the master playlist (specification §4.4). `videoId`, when given, must be the token's.
 * Errors, in this order: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, PLAYBACK_TOKEN_INVALID (other video), PLAYBACK_TOKEN_EXPIRED (of a
 * share link that ended), VIDEO_NOT_FOUND, VIDEO_NOT_READY, PLAYBACK_TOKEN_EXPIRED (of a share link, exchanged before).
 */
export function exchangeToken(input: ExchangeInput): MaybePromise<ExchangeResult> {
  const facts = verifyToken(input.token)
  const { videoId } = facts
  if (input.videoId !== undefined && input.videoId !== videoId) throw new ServiceError('PLAYBACK_TOKEN_INVALID', { about: aboutOf(facts) })
  const link = linkTermsOf(facts.jti)
  if (link) return exchangeOfLink(facts, link, input)
  // Read before the video, so that an end that commits meanwhile ends this session too.
  const number = lastEnd()
  return withBoth(playableVideo(videoId), number, (video, last) => exchanged(video, facts, last))
}

/**
 * A token of a share link opens one session, since a link permits a number of views, and opens it as of its issue, so that the end of the
 * link ends also what is exchanged later.
 */
async function exchangeOfLink(
  facts: TokenFacts & { exp: number },
  { number, expiresAt }: LinkTerms,
  { exchangeId, opens = true }: Pick<ExchangeInput, 'exchangeId' | 'opens'>,
): Promise<ExchangeResult> {
  await refuseEnded(facts.videoId, { number, tokenId: facts.jti })
  const { data, about } = exchanged(await playableVideo(facts.videoId), facts, number)
  if (opens) await exchangeOnce(facts.jti, exchangeId)
  const last = Math.min(Date.parse(data.sessionExpiresAt), expiresAt * 1_000)
  return { data: { ...data, sessionExpiresAt: new Date(last).toISOString() }, about }
}

const aboutOf = ({ videoId, jti }: TokenFacts) => ({ videoId, tokenId: jti })

function exchanged(video: PlayableVideo | undefined, facts: TokenFacts & { exp: number }, number: number): ExchangeResult {
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND', { about: aboutOf(facts) })
  const { status, isReady } = video
  if (!isReady) throw new ServiceError('VIDEO_NOT_READY', { details: { status }, about: aboutOf(facts) })
  const { url, sessionExpiresAt } = masterPlaylistUrl(video.id, video.durationSec, { number, tokenId: facts.jti })
  const data = {
    masterPlaylistUrl: url,
    qualities: video.qualities,
    encrypted: video.encrypted,
    expiresAt: new Date(facts.exp * 1000).toISOString(),
    sessionExpiresAt: sessionExpiresAt.toISOString(),
  }
  return { data, about: { accountId: video.accountId, ...aboutOf(facts) } }
}
