import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { noSuchEndpoint } from './owned-endpoint.ts'
import { ENDPOINT_COLUMNS, type ListedEndpoint, listedEndpoint } from './presenter.ts'
import type { EndpointIdInput } from './schema.ts'

/** Returns one endpoint of the account. Errors: NOT_FOUND. */
export async function getEndpoint(ctx: AccountCtx, { endpointId }: EndpointIdInput): Promise<ListedEndpoint> {
  const row = await db().webhookEndpoint.findFirst({ where: { id: endpointId, accountId: ctx.accountId }, select: ENDPOINT_COLUMNS })
  if (!row) throw noSuchEndpoint()
  return listedEndpoint(row)
}
