import { EVENTS, type EventData, type EventType } from '../../events.ts'
import { newId } from '../../platform/crypto.ts'
import type { Tx } from '../../platform/database.ts'

/**
 * Stores an event and one delivery for each endpoint that wants it, in the transaction that makes the fact (specification §6): none of
 * them exists without the others. `fact` tells one fact of this account and type from the next; the same fact twice has one event.
 * Resolves with the event's id, or null when it was told before. A statement of SQL has the same as the function `emit_event`.
 */
export async function emit<Type extends EventType>(
  tx: Pick<Tx, '$queryRaw'>,
  accountId: string,
  type: Type,
  data: EventData<Type>,
  { fact }: { fact?: string } = {},
): Promise<string | null> {
  const told = JSON.stringify(EVENTS[type].data.parse(data))
  const [row] = await tx.$queryRaw<{ id: string | null }[]>`
    SELECT emit_event(${newId('evt')}, ${accountId}, ${type}, ${told}::json, ${fact ?? null}) AS id`
  return row?.id ?? null
}
