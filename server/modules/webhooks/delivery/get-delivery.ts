import { type AccountCtx, hasPermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import type { DeliveryInput } from '../endpoints/schema.ts'
import { deliveriesOf, type ListedDelivery } from './list-deliveries.ts'

/** An attempt as the dashboard shows it. */
export interface ListedAttempt {
  id: string
  /** 0 for the original delivery, then the number of the replay. */
  replay: number
  number: number
  at: Date
  durationMs: number
  /** The signature sent; null without the permission to change webhooks, because body and signature can be sent again. */
  signature: string | null
  status: number | null
  headers: Record<string, string>
  /** The beginning of the response's body. */
  body: string
  /** Why it failed; null when it was delivered. */
  error: string | null
  nextAt: Date | null
}

export interface DeliveryDetail extends ListedDelivery {
  url: string
  /** The request's body, byte for byte. */
  payload: string
  /** The last 50, the newest first. */
  attempts: ListedAttempt[]
}

export const noSuchDelivery = () => new ServiceError('NOT_FOUND', { message: 'No such delivery exists in your account.' })

/** Returns one delivery with its attempts. Errors: NOT_FOUND. */
export async function getDelivery(ctx: AccountCtx, { endpointId, eventId }: DeliveryInput): Promise<DeliveryDetail> {
  const [shown] = (await deliveriesOf(ctx, eventId)).filter((one) => one.endpointId === endpointId)
  const row = await db().webhookDelivery.findFirst({
    where: { accountId: ctx.accountId, endpointId, eventId },
    select: {
      event: { select: { payload: true } },
      endpoint: { select: { url: true } },
      attempts: { orderBy: { id: 'desc' }, take: 50 },
    },
  })
  if (!shown || !row) throw noSuchDelivery()
  const signs = hasPermission(ctx, 'webhooks.change')
  const attempts = row.attempts.map(({ id, deliveryId: _, headers, body, signature, ...one }) => ({
    ...one,
    signature: signs ? signature : null,
    id: String(id),
    headers: headers ? (JSON.parse(headers) as Record<string, string>) : {},
    body: body ?? '',
  }))
  return { ...shown, url: row.endpoint.url, payload: row.event.payload, attempts }
}
