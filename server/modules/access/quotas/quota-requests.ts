import { type AccountCtx, type AccountId, actorName, requirePermission, requireStaff } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { sendMail } from '../../../platform/mail.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { inTransaction, type TransactionScope } from '../../billing/apply-wallet-transaction.ts'
import { accountLimit } from '../../identity/accounts/limit.ts'
import { enqueueMail } from '../../identity/accounts/mail-owners.ts'
import { chainOf } from '../keys/end-key.ts'
import type { RequestQuotaInput, ResolveQuotaRequestInput } from './schema.ts'

/**
 * Requests a higher daily quota for one key (specification §8). Support pages list it; support staff and OPERATOR_EMAIL get an email if
 * mail is configured. Errors: FORBIDDEN; NOT_FOUND for an unknown live key; CONFLICT on the free tier, or while a request is open;
 * TOO_MANY_ATTEMPTS at the account's daily limit of requests (server/limits.ts).
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
    if (!key) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such live key.' })
    if (key.account.tier !== 'PAID')
      throw new ServiceError('CONFLICT', { message: 'Higher quotas require the paid tier. Switch under Billing first.' })
    await requireRequestLeft(tx, accountId)
    const inserted = await tx.$executeRaw`
      INSERT INTO quota_request (id, account_id, key_id, requested_quota, reason, requested_by, created_at)
      VALUES (${id}, ${accountId}, ${keyId}, ${requestedQuota}, ${reason}, ${actorName(ctx.actor)}, service_now())
      ON CONFLICT (key_id) WHERE status = 'OPEN' DO NOTHING`
    if (inserted === 0)
      throw new ServiceError('CONFLICT', { message: 'You already have an open request for this key. Wait for the decision.' })
    await record(tx, ctx, { action: 'billing.quota.request', subject: keyId, after: { requestedQuota, reason } })
    const staff = await tx.$queryRaw<{ email: string }[]>`
      SELECT u.email FROM staff_grant s JOIN app_user u ON u.id = s.user_id WHERE s.revoked_at IS NULL AND u.suspended_at IS NULL`
    return { name: key.account.name, staff }
  })
  const text = `${name} requests ${requestedQuota.toLocaleString('en-US')} playback tokens per day for one of its keys.\n\nReason: ${reason}\n\nReview the request at ${env().BASE_URL}/support/quota-requests\n`
  // A failed email does not undo the request.
  const { OPERATOR_EMAIL } = env()
  const recipients = new Set(staff.map(({ email }) => email))
  if (OPERATOR_EMAIL) recipients.add(OPERATOR_EMAIL.toLowerCase())
  for (const to of recipients) void sendMail({ to, subject: 'Request for a higher quota', text })
  return { id }
}

/** Checks the daily limit of requests. It is per account, not per key: keys are unlimited, and each request sends emails. */
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

/** A request for a higher daily quota of a key, and its decision. */
export interface QuotaRequestLine {
  id: string
  keyId: string
  keyName: string
  keyPrefix: string
  /** Tokens per day. */
  requestedQuota: number
  reason: string
  status: 'OPEN' | 'APPROVED' | 'DECLINED'
  approvedQuota: number | null
  resolutionNote: string | null
  createdAt: Date
  resolvedAt: Date | null
}

/** Lists the account's quota requests, for one key with its rotation chain or for all, newest first; at most 100. */
export async function listQuotaRequests(ctx: AccountCtx, { keyId }: { keyId?: string } = {}): Promise<QuotaRequestLine[]> {
  const { accountId } = ctx
  const key = keyId === undefined ? null : await db().apiKey.findFirst({ where: { id: keyId, accountId }, select: { quotaGroup: true } })
  const rows = await db().quotaRequest.findMany({
    where: { accountId, ...(keyId !== undefined && (key?.quotaGroup ? { key: { quotaGroup: key.quotaGroup } } : { keyId })) },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    take: 100,
    omit: { accountId: true, requestedBy: true, resolvedBy: true },
    include: { key: { select: { name: true, prefix: true } } },
  })
  return rows.map(({ key, ...row }) => ({ ...row, keyName: key.name, keyPrefix: key.prefix }))
}

/**
 * Decides an account's request for a higher quota, for operators and support staff: `approvedQuota` tokens per day, starting with the next
 * token, or null to decline. Enqueues an email to the requester if mail is configured. Errors: FORBIDDEN for other actors; NOT_FOUND;
 * CONFLICT if already decided.
 */
export async function resolveQuotaRequest(
  ctx: AccountCtx,
  { requestId, approvedQuota, resolutionNote }: ResolveQuotaRequestInput,
  within: TransactionScope = {},
): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  await inTransaction(within, async (tx) => {
    const request = await tx.quotaRequest.findFirst({
      where: { id: requestId, accountId },
      include: { key: { select: { dailyQuota: true } } },
    })
    if (!request) throw new ServiceError('NOT_FOUND', { message: 'This account has no such request.' })
    const changed = await tx.$executeRaw`
      UPDATE quota_request SET status = ${approvedQuota === null ? 'DECLINED' : 'APPROVED'}::"QuotaRequestStatus", approved_quota = ${approvedQuota},
        resolution_note = ${resolutionNote},
        resolved_by = ${actorName(ctx.actor)}, resolved_at = service_now()
      WHERE id = ${requestId} AND account_id = ${accountId} AND status = 'OPEN'`
    if (changed === 0) throw new ServiceError('CONFLICT', { message: 'This request has already been decided.' })
    if (approvedQuota !== null) await setDailyQuota(tx, accountId, request.keyId, approvedQuota)
    await record(tx, ctx, {
      action: 'billing.quota.resolve',
      subject: request.keyId,
      before: { dailyQuota: request.key.dailyQuota },
      after: { requestedQuota: request.requestedQuota, approvedQuota, resolutionNote },
    })
    const requester = await tx.user.findUnique({ where: { id: request.requestedBy }, select: { email: true } })
    if (!requester) return
    const verdict =
      approvedQuota === null
        ? 'We declined your request for a higher quota.'
        : `Your key can now issue ${approvedQuota.toLocaleString('en-US')} playback tokens per day.`
    await enqueueMail(tx, requester.email, { subject: 'Your request for a higher quota', text: `${verdict}\n\n${resolutionNote}` })
  })
}

/** Sets the daily quota of a key and its rotation chain, which share one count. Null restores the tier's. */
export async function setDailyQuota(tx: Tx, accountId: AccountId, keyId: string, dailyQuota: number | null): Promise<void> {
  const sql = `UPDATE api_key SET daily_quota = $3 WHERE account_id = $2 AND id = ANY (${chainOf('$1', '$2')})`
  await tx.$executeRawUnsafe(sql, keyId, accountId, dailyQuota)
}
