import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** What the stand-in for Stripe's API was asked. */
export interface CheckoutAsked {
  key: string
  idempotencyKey: string
  form: Record<string, string>
}

/** Stands where Stripe's API would: makes checkout sessions in the shape Stripe makes them, or refuses as Stripe does. */
export async function stripeApi(): Promise<{ url: string; asked: CheckoutAsked[]; refuse: (yes: boolean) => void }> {
  const asked: CheckoutAsked[] = []
  let refusing = false
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = []
    for await (const part of req) parts.push(part as Buffer)
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()))
    asked.push({ key: String(req.headers.authorization), idempotencyKey: String(req.headers['idempotency-key']), form })
    const known = req.method === 'POST' && req.url === '/v1/checkout/sessions'
    res.writeHead(refusing ? 401 : known ? 200 : 404, { 'Content-Type': 'application/json', 'Request-Id': 'req_stripe' })
    if (refusing)
      return res.end(JSON.stringify({ error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****' } }))
    const id = `cs_test_${asked.length}`
    return res.end(
      JSON.stringify({ id, object: 'checkout.session', mode: 'payment', status: 'open', url: `https://checkout.stripe.com/c/pay/${id}` }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, refuse: (yes) => (refusing = yes) }
}

const event = (id: string, type: string, object: object) => ({
  id,
  object: 'event',
  api_version: '2026-10-28.clover',
  created: 1_795_000_000,
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
  intent?: string
  status?: 'paid' | 'unpaid'
}

/** A finished checkout, in the shape that Stripe delivers. */
export const checkoutEvent = (
  id: string,
  { payment, amount, currency = 'usd', session, intent, status = 'paid' }: Session,
  type = 'checkout.session.completed',
) =>
  event(id, type, {
    id: session ?? `cs_test_${payment}`,
    object: 'checkout.session',
    amount_subtotal: amount,
    amount_total: amount,
    client_reference_id: payment,
    currency,
    customer: null,
    customer_details: { email: 'owner@example.com', name: 'Owner', tax_exempt: 'none' },
    expires_at: 1_795_086_400,
    livemode: false,
    metadata: { paymentId: payment },
    mode: 'payment',
    payment_intent: intent ?? `pi_${payment}`,
    payment_method_types: ['card'],
    payment_status: status,
    status: 'complete',
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  })

/** A refund, in the shape that Stripe delivers: `refunded` is the sum of all refunds of the charge so far. */
export const refundEvent = (id: string, { payment, amount, refunded }: { payment: string; amount: number; refunded: number }) =>
  event(id, 'charge.refunded', {
    id: `ch_${payment}`,
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: refunded,
    currency: 'usd',
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: `pi_${payment}`,
    refunded: refunded === amount,
    status: 'succeeded',
  })
