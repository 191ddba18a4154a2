import { type AccountCtx, may } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { deliveriesOf, type ListedDelivery } from './list-deliveries.ts'
import type { DeliveryInput } from './schema.ts'

/** One request and what was answered. */
export interface Attempt {
  id: string
  /** 1, and one more with each replay. */
  round: number
  number: number
  at: Date
  durationMs: number
  /** As it was sent; null for who may not change webhooks: with it the body passes for one sent just now. */
  signature: string | null
  status: number | null
  headers: Record<string, string>
  /** The beginning of the response's. */
  body: string
  problem: string | null
  nextAt: Date | null
}

export interface DeliveryDetail extends ListedDelivery {
  url: string
  /** The request's body, byte for byte. */
  payload: string
  /** The last 50, the newest first. */
  tries: Attempt[]
}

export const noSuchDelivery = () => new ServiceError('NOT_FOUND', { message: 'There is no such delivery in your account.' })

/** One delivery with its attempts. Errors: NOT_FOUND. */
export async function getDelivery(ctx: AccountCtx, { endpointId, eventId }: DeliveryInput): Promise<DeliveryDetail> {
  const [shown] = (await deliveriesOf(ctx, eventId)).filter((one) => one.endpointId === endpointId)
  const row = await db().webhookDelivery.findFirst({
    where: { accountId: ctx.accountId, endpointId, eventId },
    select: {
      event: { select: { payload: true } },
      endpoint: { select: { url: true } },
      tries: { orderBy: { id: 'desc' }, take: 50 },
    },
  })
  if (!shown || !row) throw noSuchDelivery()
  const signs = may(ctx, 'webhooks.change')
  const tries = row.tries.map(({ id, deliveryId: _, headers, body, signature, ...one }) => ({
    ...one,
    signature: signs ? signature : null,
    id: String(id),
    headers: headers ? (JSON.parse(headers) as Record<string, string>) : {},
    body: body ?? '',
  }))
  return { ...shown, url: row.endpoint.url, payload: row.event.payload, tries }
}
