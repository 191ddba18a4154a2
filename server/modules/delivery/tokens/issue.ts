import type { AccountCtx, AccountId } from '../../../context.ts'
import { isServiceError, ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { refusalOf } from '../../access/keys/active.ts'
import { TOKEN_LIFETIME_SEC } from '../../access/keys/validity.ts'
import { batchedQuota } from '../../access/quotas/batched-grant.ts'
import { type QuotaConstraint, rateLimitHeaders, remainingQuota } from '../../access/quotas/daily-quota.ts'
import { measureQuota } from '../../access/quotas/metrics.ts'
import { requireContentAccess } from '../../audit/content-access.ts'
import { fixtureFor } from '../../videos/fixtures.ts'
import { getVideo } from '../../videos/get.ts'
import { policyForTest } from './fixture-viewers.ts'
import { issueOnce, type TokenIssue } from './issue-once.ts'
import { playableVideo } from './playable.ts'
import { type PlaybackPolicy, sealLabel, sealPolicy } from './policy.ts'
import { newTokenId, signToken } from './token.ts'

export interface IssuedToken {
  token: string
  /** Seconds. Less than the lifetime for a repeated token. */
  expiresIn: number
  playerUrl: string
  /** `jti`. */
  tokenId: string
  /** The key's rate limit headers after this call. */
  headers: Record<string, string>
}

interface IssueInput {
  videoId: string
  idempotencyKey?: string
  policy?: PlaybackPolicy
  /** Counts a requested unit of quota, granted or refused. Does not count a repeated token. */
  count(key: { id: string; accountId: AccountId }, granted: boolean): void
}

/**
 * Issues a playback token (specification §4.3). With `idempotencyKey`, the same key and video within 5 minutes get the same token for one
 * unit of quota. `policy` restricts the session; `{}` restricts nothing. Errors: VIDEO_NOT_FOUND, VIDEO_NOT_READY, IDEMPOTENCY_KEY_REUSED,
 * RATE_LIMIT_EXCEEDED, INVALID_API_KEY (revoked in the meantime), ACCOUNT_SUSPENDED; all but the last two carry the rate limit headers.
 */
export async function issueToken(ctx: AccountCtx, input: IssueInput): Promise<IssuedToken> {
  const { actor } = ctx
  if (actor.kind !== 'key') throw new ServiceError('FORBIDDEN')
  const access = requireContentAccess(ctx, 'Support staff cannot issue playback tokens.')
  const { videoId, idempotencyKey, policy = {} } = input
  const fixture = fixtureFor(ctx, videoId)
  const issued = await withHeaders(ctx, actor.keyId, async () => {
    await requireReady(ctx, videoId)
    if (fixture?.tokenError) throw new ServiceError('RATE_LIMIT_EXCEEDED')
    return idempotencyKey === undefined ? issueFresh(ctx, actor.keyId) : issueOnce(ctx, actor.keyId, { videoId, idempotencyKey, policy })
  })
  // The cached check had passed, but the grant statement found the key or account no longer valid.
  if (!issued) throw await refusalOf(actor.keyId)
  const { unit, jti, issuedAt } = issued
  const headers = { ...rateLimitHeaders(unit), ...(issued.replayed && { 'Idempotent-Replayed': 'true' }) }
  if (!issued.replayed) {
    measureQuota(unit)
    input.count({ id: actor.keyId, accountId: ctx.accountId }, unit.granted)
  }
  if (!unit.granted) {
    throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfter: unit.resetIn, headers, ...(unit.held && HELD[unit.held]) })
  }
  const lifetimeSec = policy.expiresInSec ?? TOKEN_LIFETIME_SEC
  const iat = Math.floor(issuedAt)
  const terms = actor.environment === 'TEST' ? policyForTest(policy) : policy
  const issuedMs = Math.round((issuedAt - iat) * 1_000)
  const sealed = { policy: sealPolicy(jti, { ...terms, issuedMs }), watermark: sealLabel(jti, policy) }
  const claimed = fixture?.tokenDefect === 'expired' ? iat - 2 * TOKEN_LIFETIME_SEC : iat
  const token = signToken(access, { videoId, jti, iat: claimed, lifetimeSec, ...sealed })
  const value = fixture?.tokenDefect === 'forged' ? forged(token) : token
  const expiresIn = iat + lifetimeSec - Math.floor(unit.now)
  return { token: value, expiresIn, playerUrl: `${env().SDK_URL}/embed/${videoId}?token=${value}`, tokenId: jti, headers }
}

/** Extras of a refusal for reasons other than the key's own quota (additive to specification §7). */
const HELD = {
  credit: {
    message: 'Your balance is empty, and this key has used its free quota for today. Top up under Billing in the dashboard.',
    details: { reason: 'OUT_OF_CREDIT' },
  },
  account_cap: {
    message:
      'Your account has reached its monthly spending cap, and this key has used its free quota for today. Raise the cap under Billing in the dashboard.',
    details: { reason: 'ACCOUNT_SPENDING_CAP' },
  },
  key_cap: {
    message: 'This key has reached its monthly spending cap and used its free quota for today. Raise the cap on its page in the dashboard.',
    details: { reason: 'KEY_SPENDING_CAP' },
  },
  account_free: {
    message: 'Your keys together have used the account’s free playback tokens for today. The limit resets at midnight UTC.',
    details: { reason: 'ACCOUNT_FREE_QUOTA' },
  },
} as const satisfies Record<QuotaConstraint, object>

/** Returns a token with an invalid signature, for a fixture. */
const forged = (token: string) => token.slice(0, token.lastIndexOf('.') + 1) + 'A'.repeat(43)

async function issueFresh(ctx: AccountCtx, keyId: string): Promise<TokenIssue | undefined> {
  const unit = await batchedQuota().take(keyId, ctx.accountId)
  return unit && { unit, jti: newTokenId(keyId), issuedAt: unit.now }
}

const FAILED = 'This video failed to process, so it cannot be played. Find the reason in the dashboard, and retry it there.'

async function requireReady(ctx: AccountCtx, videoId: string): Promise<void> {
  const { video } = await getVideo(ctx, { videoId })
  if (video.status === 'COMPLETED' || (await playableVideo(videoId))?.isReady) return
  const message = video.status === 'FAILED' ? { message: FAILED } : {}
  throw new ServiceError('VIDEO_NOT_READY', { details: { status: video.status }, ...message })
}

/** Adds the rate limit headers to a refusal: every response of this endpoint has them once the key is known (specification §8). */
async function withHeaders<Result>(ctx: AccountCtx, keyId: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isServiceError(error)) throw error
    const left = await remainingQuota(keyId, ctx.accountId)
    if (error.code === 'RATE_LIMIT_EXCEEDED') error.extras.retryAfter = left.resetIn
    error.extras.headers = rateLimitHeaders(error.code === 'RATE_LIMIT_EXCEEDED' ? { ...left, remaining: 0 } : left)
    throw error
  }
}
