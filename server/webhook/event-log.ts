import type { AccountCtx } from '../context.ts'
import type { EventType } from '../events.ts'
import { db } from '../infra/db.ts'
import { PAGE, pageOf, placeOf } from './page.ts'
import type { EventLogInput } from './schema.ts'

/** An event of the log, and what became of it at the endpoints. */
export interface LoggedEvent {
  eventId: string
  eventType: EventType
  createdAt: Date
  sample: boolean
  /** By status; all 0 when no endpoint wanted it. */
  deliveries: { delivered: number; pending: number; dead: number }
}

/** Everything that happened in the account, whether an endpoint wanted it or not, the newest first, in pages of 50. Errors: INVALID_REQUEST. */
export async function listEvents(
  ctx: AccountCtx,
  { type, cursor }: EventLogInput,
): Promise<{ events: LoggedEvent[]; nextCursor: string | null }> {
  const { accountId } = ctx
  const before = placeOf(cursor)
  const found = await db().webhookEvent.findMany({
    where: { accountId, type, seq: before === undefined ? undefined : { lt: before } },
    select: { id: true, type: true, createdAt: true, sample: true, seq: true, deliveries: { select: { status: true } } },
    orderBy: { seq: 'desc' },
    take: PAGE + 1,
  })
  const { rows, nextCursor } = pageOf(found, (row) => row.seq)
  const events = rows.map(({ id, type, createdAt, sample, deliveries }) => {
    const count = (status: string) => deliveries.filter((one) => one.status === status).length
    const by = { delivered: count('DELIVERED'), pending: count('PENDING'), dead: count('DEAD') }
    return { eventId: id, eventType: type as EventType, createdAt, sample, deliveries: by }
  })
  return { events, nextCursor }
}
