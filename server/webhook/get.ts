import type { AccountCtx } from '../context.ts'
import { db } from '../infra/db.ts'
import { noSuchEndpoint } from './own.ts'
import { ENDPOINT_COLUMNS, type ListedEndpoint, listedEndpoint } from './present.ts'
import type { EndpointIdInput } from './schema.ts'

/** One endpoint of the account. Errors: NOT_FOUND. */
export async function getEndpoint(ctx: AccountCtx, { endpointId }: EndpointIdInput): Promise<ListedEndpoint> {
  const row = await db().webhookEndpoint.findFirst({ where: { id: endpointId, accountId: ctx.accountId }, select: ENDPOINT_COLUMNS })
  if (!row) throw noSuchEndpoint()
  return listedEndpoint(row)
}
