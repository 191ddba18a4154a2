import { db, query } from '../../../platform/database/database.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
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
import type {
  SupportAuditInput,
  SupportDeliveriesInput,
  SupportDeliveryInput,
  SupportRequestInput,
  SupportRequestsInput,
  SupportUsageInput,
} from './schema.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** Returns a page of an account's audit log as its members read it, newest first. Errors: NOT_FOUND. */
export async function supportAudit(staff: StaffCtx, { accountId, ...input }: SupportAuditInput): Promise<AuditPage> {
  return listAudit(await openAccount(staff, { accountId, page: 'audit log' }), input)
}

/** Returns the actors and actions that occur in an account's audit log. Errors: NOT_FOUND. */
export async function supportAuditChoices(staff: StaffCtx, { accountId }: { accountId: string }): Promise<AuditFilterOptions> {
  return auditFilterOptions(await openAccount(staff, { accountId, page: 'audit log' }))
}

/** Returns what the workers are doing and who waits for them. Errors: as `requireCurrentStaff`. */
export async function supportFleet(staff: StaffCtx): Promise<Fleet> {
  await requireCurrentStaff(db(), staff)
  return readFleet()
}

export interface SupportKey extends ListedKey {
  /** The daily quota that support set; null where the tier's applies. */
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

/** Returns a page of the deliveries to one of an account's endpoints, newest first. Errors: NOT_FOUND, INVALID_REQUEST. */
export async function supportDeliveries(
  staff: StaffCtx,
  { accountId, ...input }: SupportDeliveriesInput,
): Promise<{ deliveries: ListedDelivery[]; nextCursor: string | null }> {
  return listDeliveries(await openAccount(staff, { accountId, page: 'webhooks', subject: input.endpointId }), input)
}

/** A delivery without its signatures, with which its body could be sent again as a new delivery. */
export type SupportDelivery = Omit<DeliveryDetail, 'attempts'> & { attempts: Omit<DeliveryDetail['attempts'][number], 'signature'>[] }

/** Returns one delivery with its requests and responses. Errors: NOT_FOUND. */
export async function supportDelivery(staff: StaffCtx, { accountId, ...input }: SupportDeliveryInput): Promise<SupportDelivery> {
  const { attempts, ...delivery } = await getDelivery(
    await openAccount(staff, { accountId, page: 'webhooks', subject: input.eventId }),
    input,
  )
  return { ...delivery, attempts: attempts.map(({ signature: _, ...attempt }) => attempt) }
}

/** An account that the staff member has viewed. */
interface RecentAccount {
  accountId: string
  name: string
  tier: 'FREE' | 'PAID'
}

/** Returns the 8 accounts viewed last, by the hour of the view. */
export async function recentAccounts(staff: StaffCtx): Promise<RecentAccount[]> {
  await requireCurrentStaff(db(), staff)
  return query<RecentAccount>(
    'support-recent',
    `SELECT a.id AS "accountId", a.name, a.tier FROM support_view v JOIN account a ON a.id = v.account_id
     WHERE v.user_id = $1 AND a.deleted_at IS NULL GROUP BY a.id ORDER BY max(v.hour) DESC, ${alphabetical('a.name')}, a.id LIMIT 8`,
    [staff.staff.userId],
  )
}
