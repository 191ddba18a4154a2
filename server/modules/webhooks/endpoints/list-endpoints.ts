import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { DELIVERY_COUNTS, type DeliveryCounts, NO_DELIVERIES } from './counts.ts'
import { ENDPOINT_COLUMNS, type ListedEndpoint, listedEndpoint } from './presenter.ts'

/** An endpoint and its deliveries of the last 24 hours by status. */
export interface EndpointOfList extends ListedEndpoint {
  day: DeliveryCounts
}

/** Lists all endpoints of the account, the newest first. */
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
