import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SESSION } from './stripe-shapes.ts'

/** One request to the substitute for Stripe's API. */
export interface CheckoutRequest {
  key: string
  idempotencyKey: string
  form: Record<string, string>
}

interface StripeApi {
  url: string
  requests: CheckoutRequest[]
  refuse(yes: boolean): void
  close(): void
}

/**
 * Starts a substitute for Stripe's API on this port or a free one. It creates checkout sessions in Stripe's format, or refuses like Stripe.
 */
export async function stripeApi(port = 0): Promise<StripeApi> {
  const requests: CheckoutRequest[] = []
  let refusing = false
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = []
    for await (const part of req) parts.push(part as Buffer)
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()))
    requests.push({ key: String(req.headers.authorization), idempotencyKey: String(req.headers['idempotency-key']), form })
    // Of most currencies (docs.stripe.com/currencies).
    const isTooLarge = Number(form['line_items[0][price_data][unit_amount]']) > 99_999_999
    const known = req.method === 'POST' && req.url === '/v1/checkout/sessions'
    res.writeHead(refusing ? 401 : isTooLarge ? 400 : known ? 200 : 404, { 'Content-Type': 'application/json', 'Request-Id': 'req_stripe' })
    if (refusing)
      return res.end(JSON.stringify({ error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****' } }))
    if (isTooLarge)
      return res.end(
        JSON.stringify({ error: { type: 'invalid_request_error', code: 'amount_too_large', message: 'The amount is too large.' } }),
      )
    const id = `cs_test_${requests.length}`
    const open = { id, status: 'open', payment_status: 'unpaid', payment_intent: null, url: `https://checkout.stripe.com/c/pay/${id}` }
    return res.end(JSON.stringify({ ...SESSION, ...open, client_reference_id: form.client_reference_id }))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refuse(yes) {
      refusing = yes
    },
    close: () => void server.close(),
  }
}
