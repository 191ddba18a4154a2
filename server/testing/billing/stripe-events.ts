import { DISPUTE } from './stripe-dispute.ts'
import { CHARGE, REFUND, SESSION } from './stripe-shapes.ts'

/** Creation time of the fixtures' events, in Unix seconds, unless a test gives another. */
export const MADE_AT = 1_795_000_000

const event = (id: string, type: string, object: object, created = MADE_AT) => ({
  id,
  object: 'event' as const,
  api_version: '2026-10-28.endive',
  created,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
})

interface Session {
  payment: string
  amount: number
  currency?: string
  session?: string
  /** In Stripe's forms: its id, the complete object, or absent. */
  intent?: string | object | null
  status?: 'paid' | 'unpaid'
}

/** Returns the event of a finished checkout, as Stripe delivers it. */
export const checkoutEvent = (
  id: string,
  { payment, amount, currency = 'usd', session = `cs_test_${payment}`, intent = `pi_${payment}`, status = 'paid' }: Session,
  type = 'checkout.session.completed',
) =>
  event(id, type, {
    ...SESSION,
    id: session,
    amount_subtotal: amount,
    amount_total: amount,
    client_reference_id: payment,
    currency,
    metadata: { ...SESSION.metadata, paymentId: payment },
    payment_intent: intent,
    payment_status: status,
    success_url: `https://video.example.com/billing?payment=${payment}`,
  })

interface Returned {
  payment: string
  amount: number
  /** Unix seconds. */
  at?: number
}

/** Returns the event of a refund, as Stripe delivers it: `refunded` is the sum of all refunds of the charge so far. */
export const refundEvent = (id: string, { payment, amount, refunded, at }: Returned & { refunded: number }) => {
  const money = { amount, amount_captured: amount, amount_refunded: refunded, refunded: refunded === amount }
  return event(id, 'charge.refunded', { ...CHARGE, ...money, id: `ch_${payment}`, payment_intent: `pi_${payment}` }, at)
}

/** Returns the event of a failed refund of `amount`: the money is back with the shop. */
export const refundFailedEvent = (id: string, { payment, amount, at }: Returned) =>
  event(id, 'refund.failed', { ...REFUND, id: `re_${id}`, amount, charge: `ch_${payment}`, payment_intent: `pi_${payment}` }, at)

/** Returns the event of a dispute of `amount` that withdrew its money, or returned it once it was won. */
export const disputeEvent = (id: string, way: 'withdrawn' | 'reinstated', { payment, amount, at }: Returned) => {
  const about = { amount, charge: `ch_${payment}`, payment_intent: `pi_${payment}` }
  const status = way === 'withdrawn' ? 'needs_response' : 'won'
  return event(id, `charge.dispute.funds_${way}`, { ...DISPUTE, ...about, id: `du_${payment}`, status }, at)
}
