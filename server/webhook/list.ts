import type { AccountCtx } from '../context.ts'
import { db } from '../infra/db.ts'
import { ENDPOINT_COLUMNS, type ListedEndpoint, listedEndpoint } from './present.ts'

/** An endpoint and how its deliveries of the last 24 hours went. */
export interface EndpointOfList extends ListedEndpoint {
  day: { delivered: number; pending: number; dead: number }
}

/** Every endpoint of the account, the newest first. */
export async function listEndpoints(ctx: AccountCtx): Promise<EndpointOfList[]> {
  const { accountId } = ctx
  const [rows, counts] = await Promise.all([
    db().webhookEndpoint.findMany({ where: { accountId }, select: ENDPOINT_COLUMNS, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] }),
    db().$queryRaw<{ endpoint_id: string; delivered: number; pending: number; dead: number }[]>`
      SELECT d.endpoint_id, count(*) FILTER (WHERE d.status = 'DELIVERED')::int AS delivered,
        count(*) FILTER (WHERE d.status = 'PENDING')::int AS pending, count(*) FILTER (WHERE d.status = 'DEAD')::int AS dead
      FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
      WHERE d.account_id = ${accountId} AND e.account_id = ${accountId} AND e.created_at > service_now() - interval '24 hours'
      GROUP BY d.endpoint_id`,
  ])
  const byId = new Map(counts.map(({ endpoint_id, ...day }) => [endpoint_id, day]))
  return rows.map((row) => ({ ...listedEndpoint(row), day: byId.get(row.id) ?? { delivered: 0, pending: 0, dead: 0 } }))
}
