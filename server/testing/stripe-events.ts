import { DISPUTE } from './stripe-dispute.ts'
import { CHARGE, REFUND, SESSION } from './stripe-shapes.ts'

/** When the fixtures' events were made, in Unix seconds, unless a test says otherwise. */
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
  /** As Stripe names it: by its id, in whole, or not at all. */
  intent?: string | object | null
  status?: 'paid' | 'unpaid'
}

/** A finished checkout, as Stripe delivers it. */
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

/** A refund, as Stripe delivers it: `refunded` is the sum of all refunds of the charge so far. */
export const refundEvent = (id: string, { payment, amount, refunded, at }: Returned & { refunded: number }) => {
  const money = { amount, amount_captured: amount, amount_refunded: refunded, refunded: refunded === amount }
  return event(id, 'charge.refunded', { ...CHARGE, ...money, id: `ch_${payment}`, payment_intent: `pi_${payment}` }, at)
}

/** A refund of `amount` that failed: the money is back with the shop. */
export const refundFailedEvent = (id: string, { payment, amount, at }: Returned) =>
  event(id, 'refund.failed', { ...REFUND, id: `re_${id}`, amount, charge: `ch_${payment}`, payment_intent: `pi_${payment}` }, at)

/** A dispute of `amount` that took its money, or gave it back once it was won. */
export const disputeEvent = (id: string, way: 'withdrawn' | 'reinstated', { payment, amount, at }: Returned) => {
  const about = { amount, charge: `ch_${payment}`, payment_intent: `pi_${payment}` }
  const status = way === 'withdrawn' ? 'needs_response' : 'won'
  return event(id, `charge.dispute.funds_${way}`, { ...DISPUTE, ...about, id: `du_${payment}`, status }, at)
}
