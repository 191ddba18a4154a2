import { EVENTS, type EventData, type EventType } from '../../../events.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'

/**
 * Stores an event and one delivery for each subscribed endpoint, in the transaction of the change it reports (specification §6). An account
 * has one event per type and `dedupeKey`. Resolves with the event's ID, or null if there is one already. SQL statements use the function
 * `emit_event`.
 */
export async function emit<Type extends EventType>(
  tx: Pick<Tx, '$queryRaw'>,
  accountId: string,
  type: Type,
  data: EventData<Type>,
  { dedupeKey }: { dedupeKey?: string } = {},
): Promise<string | null> {
  const payload = JSON.stringify(EVENTS[type].data.parse(data))
  const [row] = await tx.$queryRaw<{ id: string | null }[]>`
    SELECT emit_event(${newId('evt')}, ${accountId}, ${type}, ${payload}::json, ${dedupeKey ?? null}) AS id`
  return row?.id ?? null
}
