import type { AccountCtx } from '../../../context.ts'
import type { EventType } from '../../../events.ts'
import { db, query } from '../../../platform/database/database.ts'
import { noSuchEndpoint } from './edit-endpoints.ts'
import type { EndpointIdInput } from './schema.ts'
import type { DisabledReason, RetrySchedule } from './state.ts'

/** An endpoint and its deliveries of the last 24 hours by status. */
export interface EndpointOfList extends ListedEndpoint {
  day: DeliveryCounts
}

/** Lists all endpoints of the account, newest first. */
export async function listEndpoints(ctx: AccountCtx): Promise<EndpointOfList[]> {
  const { accountId } = ctx
  const [rows, counts] = await Promise.all([
    db().webhookEndpoint.findMany({ where: { accountId }, select: ENDPOINT_COLUMNS, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] }),
    query<DeliveryCounts & { endpointId: string }>(
      'webhook-day',
      `SELECT d.endpoint_id AS "endpointId", ${DELIVERY_COUNTS}
       FROM webhook_delivery_state d JOIN webhook_event e ON e.id = d.event_id
       WHERE d.account_id = $1 AND e.account_id = $1 AND e.created_at > service_now() - interval '24 hours'
       GROUP BY d.endpoint_id`,
      [accountId],
    ),
  ])
  const byId = new Map(counts.map(({ endpointId, ...day }) => [endpointId, day]))
  return rows.map((row) => ({ ...listedEndpoint(row), day: byId.get(row.id) ?? NO_DELIVERIES }))
}

/** Returns one endpoint of the account. Errors: NOT_FOUND. */
export async function getEndpoint(ctx: AccountCtx, { endpointId }: EndpointIdInput): Promise<ListedEndpoint> {
  const row = await db().webhookEndpoint.findFirst({ where: { id: endpointId, accountId: ctx.accountId }, select: ENDPOINT_COLUMNS })
  if (!row) throw noSuchEndpoint()
  return listedEndpoint(row)
}

/** Deliveries by status. */
export interface DeliveryCounts {
  delivered: number
  pending: number
  dead: number
}

/** SQL: `DeliveryCounts` as columns of a query on `webhook_delivery_state` with the alias `d`. */
export const DELIVERY_COUNTS = `
  count(*) FILTER (WHERE d.status = 'DELIVERED')::int AS delivered,
  count(*) FILTER (WHERE d.status = 'PENDING')::int AS pending, count(*) FILTER (WHERE d.status = 'DEAD')::int AS dead`

export const NO_DELIVERIES: DeliveryCounts = { delivered: 0, pending: 0, dead: 0 }

/** An endpoint as the dashboard shows it. Contains no secret. */
export interface ListedEndpoint {
  id: string
  url: string
  description: string
  events: EventType[]
  retrySchedule: RetrySchedule
  createdAt: Date
  /** Time of the first failure since the last success. */
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: DisabledReason | null
  /** End of the rotation overlap, during which the previous secret also signs. */
  previousUntil: Date | null
}

const ENDPOINT_COLUMNS = {
  id: true,
  url: true,
  description: true,
  events: true,
  retrySchedule: true,
  createdAt: true,
  failingSince: true,
  disabledAt: true,
  disabledReason: true,
  previousUntil: true,
} as const

type Row = Omit<ListedEndpoint, 'events' | 'retrySchedule' | 'disabledReason'> & {
  events: string[]
  retrySchedule: string
  disabledReason: string | null
}

const listedEndpoint = (row: Row): ListedEndpoint => ({
  ...row,
  events: row.events as EventType[],
  retrySchedule: row.retrySchedule as RetrySchedule,
  disabledReason: row.disabledReason as DisabledReason | null,
})
