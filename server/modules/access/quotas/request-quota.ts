import { type AccountCtx, type AccountId, actorName, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { sendMail } from '../../../platform/mail.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { accountLimit } from '../../identity/accounts/limit.ts'
import type { RequestQuotaInput } from './schema.ts'

/**
 * Requests a higher daily quota for one key (specification §8). Support pages list it; support staff and OPERATOR_EMAIL get an e-mail if
 * mail is configured. Errors: FORBIDDEN; NOT_FOUND for an unknown live key; CONFLICT on the free tier, or while a request is open;
 * TOO_MANY_ATTEMPTS at the account's limit of requests in a UTC day (server/limits.ts).
 */
export async function requestQuota(ctx: AccountCtx, { keyId, requestedQuota, reason }: RequestQuotaInput): Promise<{ id: string }> {
  requirePermission(ctx, 'billing.change')
  const { accountId } = ctx
  const id = newId('qrq')
  const { name, staff } = await db().$transaction(async (tx) => {
    const key = await tx.apiKey.findFirst({
      where: { id: keyId, accountId, environment: 'LIVE', revokedAt: null },
      select: { name: true, account: { select: { tier: true, name: true } } },
    })
    if (!key) throw new ServiceError('NOT_FOUND', { message: 'No such live key exists in your account.' })
    if (key.account.tier !== 'PAID')
      throw new ServiceError('CONFLICT', { message: 'Higher quotas require the paid tier. Switch to it under Billing first.' })
    await requireRequestLeft(tx, accountId)
    const inserted = await tx.$executeRaw`
      INSERT INTO quota_request (id, account_id, key_id, requested_quota, reason, requested_by, created_at)
      VALUES (${id}, ${accountId}, ${keyId}, ${requestedQuota}, ${reason}, ${actorName(ctx.actor)}, service_now())
      ON CONFLICT (key_id) WHERE status = 'OPEN' DO NOTHING`
    if (inserted === 0) throw new ServiceError('CONFLICT', { message: 'A request for this key is already open. Wait for the decision.' })
    await record(tx, ctx, { action: 'billing.quota.request', subject: keyId, after: { requestedQuota, reason } })
    const staff = await tx.$queryRaw<{ email: string }[]>`
      SELECT u.email FROM staff_grant s JOIN app_user u ON u.id = s.user_id WHERE s.revoked_at IS NULL`
    return { name: key.account.name, staff }
  })
  const text = `${name} requests ${requestedQuota.toLocaleString('en-US')} playback tokens per day for one of its keys.\n\nReason: ${reason}\n\nReview the request at ${env().BASE_URL}/support/quota-requests\n`
  // A failed e-mail does not undo the request.
  const { OPERATOR_EMAIL } = env()
  const recipients = new Set(staff.map(({ email }) => email))
  if (OPERATOR_EMAIL) recipients.add(OPERATOR_EMAIL.toLowerCase())
  for (const to of recipients) void sendMail({ to, subject: 'Request for a higher quota', text })
  return { id }
}

/** Checks the daily limit of requests. It is per account, not per key: keys are unlimited, and each request sends e-mails. */
async function requireRequestLeft(tx: Tx, accountId: AccountId): Promise<void> {
  // The account's lock serializes concurrent requests, so that each counts the earlier ones.
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const limit = await accountLimit(accountId, 'quotaRequests', tx)
  const [row] = await tx.$queryRaw<[{ requests: number; secondsLeft: number | null }]>`
    SELECT count(*)::int AS requests, ceil(extract(epoch FROM min(day) + interval '1 day' - service_clock()))::int AS "secondsLeft"
    FROM (SELECT date_trunc('day', service_clock(), 'UTC') AS day) AS today LEFT JOIN quota_request
      ON account_id = ${accountId} AND created_at >= day
    WHERE quota_request.id IS NOT NULL`
  if (row.requests < limit) return
  const message = `This account has reached its limit of ${limit} quota requests per day. Try again after UTC midnight.`
  throw new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter: Math.max(1, row.secondsLeft ?? 1), details: { limit } })
}
