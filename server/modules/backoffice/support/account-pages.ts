import { db, query } from '../../../platform/database/database.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
import { disableKeyIn } from '../../access/keys/end-key.ts'
import { type Explanation, explainRequest } from '../../analytics/requests/explain.ts'
import { listRequests, type RequestPage } from '../../analytics/requests/list-requests.ts'
import { type Usage, usage } from '../../analytics/usage.ts'
import { type AuditPage, listAudit } from '../../audit/list.ts'
import { type AuditFilterOptions, auditFilterOptions } from '../../audit/read.ts'
import { type ListedKey, listKeys } from '../../dashboard/list-keys.ts'
import { type Fleet, readFleet } from '../../transcoding/tasks/fleet.ts'
import { type DeliveryDetail, getDelivery, type ListedDelivery, listDeliveries } from '../../webhooks/delivery/list-deliveries.ts'
import { type EndpointOfList, listEndpoints } from '../../webhooks/endpoints/list-endpoints.ts'
import { openAccount } from './open-account.ts'
import { requireAccount } from './require-account.ts'
import type {
  DisableKeyInput,
  SupportAuditInput,
  SupportDeliveriesInput,
  SupportDeliveryInput,
  SupportRequestInput,
  SupportRequestsInput,
  SupportUsageInput,
} from './schema.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** Returns a page of an account's audit log as its members read it, the newest first. Errors: NOT_FOUND. */
export async function supportAudit(staff: StaffCtx, { accountId, ...input }: SupportAuditInput): Promise<AuditPage> {
  return listAudit(await openAccount(staff, { accountId, page: 'audit log' }), input)
}

/** Returns the actors and actions that occur in an account's audit log. Errors: NOT_FOUND. */
export async function supportAuditChoices(staff: StaffCtx, { accountId }: { accountId: string }): Promise<AuditFilterOptions> {
  return auditFilterOptions(await openAccount(staff, { accountId, page: 'audit log' }))
}

/** Returns what the workers do and who waits for them. Errors: as `requireCurrentStaff`. */
export async function supportFleet(staff: StaffCtx): Promise<Fleet> {
  await requireCurrentStaff(db(), staff)
  return readFleet()
}

export interface SupportKey extends ListedKey {
  /** The daily quota that an operator or support set; null where the tier's applies. */
  ownQuota: number | null
}

/** Returns every key of an account as its owner sees it, without values and hashes. Errors: NOT_FOUND. */
export async function supportKeys(staff: StaffCtx, { accountId }: { accountId: string }): Promise<SupportKey[]> {
  const ctx = await openAccount(staff, { accountId, page: 'keys' })
  const [keys, own] = await Promise.all([
    listKeys(ctx),
    db().apiKey.findMany({ where: { accountId: ctx.accountId, dailyQuota: { not: null } }, select: { id: true, dailyQuota: true } }),
  ])
  const quotas = new Map(own.map(({ id, dailyQuota }) => [id, dailyQuota]))
  return keys.map((key) => ({ ...key, ownQuota: quotas.get(key.id) ?? null }))
}

/**
 * Disables a key of an account for a stated reason, such as a leaked value; its owner can enable it again. Errors: NOT_FOUND without such a
 * key or role; FORBIDDEN for one's own account; CONFLICT when the state of the key does not allow it.
 */
export async function disableKeyAsStaff(staff: StaffCtx, { accountId, keyId, reason }: DisableKeyInput): Promise<void> {
  await db().$transaction(async (tx) => disableKeyIn(tx, await requireAccount(staff, accountId, tx), { keyId, reason }))
}

/** Returns a page of an account's request log as its owner sees it. Errors: NOT_FOUND. */
export async function supportRequests(staff: StaffCtx, { accountId, ...input }: SupportRequestsInput): Promise<RequestPage> {
  return listRequests(await openAccount(staff, { accountId, page: 'requests' }), input)
}

/** Explains the response to a request of an account. Errors: NOT_FOUND, also for a request that is not in the log. */
export async function supportRequest(staff: StaffCtx, { accountId, requestId }: SupportRequestInput): Promise<Explanation> {
  return explainRequest(await openAccount(staff, { accountId, page: 'requests', subject: requestId }), { requestId })
}

/** Returns an account's traffic over a range of UTC days, as its owner sees it. Errors: NOT_FOUND. */
export async function supportUsage(staff: StaffCtx, { accountId, ...asked }: SupportUsageInput): Promise<Usage> {
  const ctx = await openAccount(staff, { accountId, page: 'overview' })
  return usage(ctx, asked)
}

/** Returns an account's webhook endpoints with the results of their last day, without secrets. Errors: NOT_FOUND. */
export async function supportWebhooks(staff: StaffCtx, { accountId }: { accountId: string }): Promise<EndpointOfList[]> {
  return listEndpoints(await openAccount(staff, { accountId, page: 'webhooks' }))
}

/** Returns a page of the deliveries to one of an account's endpoints, the newest first. Errors: NOT_FOUND, INVALID_REQUEST. */
export async function supportDeliveries(
  staff: StaffCtx,
  { accountId, ...input }: SupportDeliveriesInput,
): Promise<{ deliveries: ListedDelivery[]; nextCursor: string | null }> {
  return listDeliveries(await openAccount(staff, { accountId, page: 'webhooks', subject: input.endpointId }), input)
}

/** A delivery without its signatures, which would permit replaying its body as a new delivery. */
export type SupportDelivery = Omit<DeliveryDetail, 'attempts'> & { attempts: Omit<DeliveryDetail['attempts'][number], 'signature'>[] }

/** Returns one delivery with its requests and responses. Errors: NOT_FOUND. */
export async function supportDelivery(staff: StaffCtx, { accountId, ...input }: SupportDeliveryInput): Promise<SupportDelivery> {
  const { attempts, ...delivery } = await getDelivery(
    await openAccount(staff, { accountId, page: 'webhooks', subject: input.eventId }),
    input,
  )
  return { ...delivery, attempts: attempts.map(({ signature: _, ...attempt }) => attempt) }
}

/** An account that the member of staff has viewed. */
interface RecentAccount {
  accountId: string
  name: string
  tier: 'FREE' | 'PAID'
}

/** Returns the accounts viewed last, at most 8, the latest hour first, since views are stored by the hour. */
export async function recentAccounts(staff: StaffCtx): Promise<RecentAccount[]> {
  await requireCurrentStaff(db(), staff)
  return query<RecentAccount>(
    'support-recent',
    `SELECT a.id AS "accountId", a.name, a.tier FROM support_view v JOIN account a ON a.id = v.account_id
     WHERE v.user_id = $1 AND a.deleted_at IS NULL GROUP BY a.id ORDER BY max(v.hour) DESC, ${alphabetical('a.name')}, a.id LIMIT 8`,
    [staff.staff.userId],
  )
}
