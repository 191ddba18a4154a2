import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { EVENT_TYPES, type EventPayload, type EventType, sampleData } from '../../../events.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { requireRecordSpace } from '../../identity/accounts/records.ts'

const isType = (text: string): text is EventType => (EVENT_TYPES as string[]).includes(text)

/**
 * Emits the sample event of a type on the event stream. No registered endpoint receives it, so a key with read access may call it.
 * Errors: INVALID_REQUEST for an unknown type, TOO_MANY_ATTEMPTS beyond the account's limit of events.
 */
export async function triggerSample(ctx: AccountCtx, { type }: { type: string }): Promise<EventPayload> {
  if (!isType(type)) {
    const message = `Unknown event type. Use one of ${EVENT_TYPES.join(', ')}.`
    throw new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'path', path: 'eventType', message }] })
  }
  await requireRecordSpace(db(), ctx.accountId, 'eventBytes', 0)
  const eventId = newId('evt')
  await db().$queryRaw`
    SELECT emit_event(${eventId}, ${ctx.accountId}, ${type}, ${JSON.stringify(sampleData(type, new Date(serviceNow())))}::json, NULL, true)`
  const { payload } = await db().webhookEvent.findFirstOrThrow({
    where: { id: eventId, accountId: ctx.accountId },
    select: { payload: true },
  })
  return JSON.parse(payload) as EventPayload
}
