import { EVENTS, type EventData, type EventType } from '../../events.ts'
import { newId } from '../../platform/crypto.ts'
import type { Tx } from '../../platform/database.ts'

/**
 * Stores an event and one delivery for each endpoint subscribed to it, in the transaction of the change it reports (specification §6).
 * `fact` is an idempotency key within the account and type: the same fact is stored once. Resolves with the event's id, or null when the
 * fact was stored before. SQL statements use the function `emit_event`.
 */
export async function emit<Type extends EventType>(
  tx: Pick<Tx, '$queryRaw'>,
  accountId: string,
  type: Type,
  data: EventData<Type>,
  { fact }: { fact?: string } = {},
): Promise<string | null> {
  const payload = JSON.stringify(EVENTS[type].data.parse(data))
  const [row] = await tx.$queryRaw<{ id: string | null }[]>`
    SELECT emit_event(${newId('evt')}, ${accountId}, ${type}, ${payload}::json, ${fact ?? null}) AS id`
  return row?.id ?? null
}
