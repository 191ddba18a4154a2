import { record } from '../audit/record.ts'
import type { AccountId } from '../context.ts'
import { db, type Tx } from '../infra/db.ts'
import { DISABLED_WHY, type DisabledWhy } from './state.ts'

/** The columns that change when an endpoint is disabled; its waiting deliveries end, the one on its way ends by itself. */
export async function stopDeliveries(tx: Tx, endpointId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_delivery SET status = 'DEAD', due_at = NULL, changed_at = service_now(), outcome = 'The endpoint was disabled.'
    WHERE endpoint_id = ${endpointId} AND status = 'PENDING' AND NOT claimed`
}

/**
 * Disables an endpoint on our own account: its receiver is gone, or has failed for days. Resolves with what its owners are to be told,
 * or undefined when it was disabled (or deleted) already.
 */
export async function disableEndpoint(
  endpointId: string,
  why: Exclude<DisabledWhy, 'owner'>,
): Promise<{ accountId: AccountId; url: string } | undefined> {
  return db().$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ account_id: AccountId; url: string }[]>`
      UPDATE webhook_endpoint SET disabled_at = service_now(), disabled_why = ${why}
      WHERE id = ${endpointId} AND disabled_at IS NULL RETURNING account_id, url`
    if (!row) return undefined
    await stopDeliveries(tx, endpointId)
    const ctx = { accountId: row.account_id, actor: { kind: 'system' } as const }
    await record(tx, ctx, { action: 'webhook.disable', subject: endpointId, after: { why: DISABLED_WHY[why] } })
    return { accountId: row.account_id, url: row.url }
  })
}
