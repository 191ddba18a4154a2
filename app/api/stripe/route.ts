import { asServiceError, ERRORS } from '#server/errors'
import { handlePaymentEvent } from '#server/modules/billing/payment-event'
import { log } from '#server/platform/observe/log'

/** Events are a few kilobytes; larger bodies are not read. */
const MAX_BODY = 512 * 1024

/** Receives Stripe's events. Stripe redelivers after any response but 2xx. */
export async function POST(request: Request): Promise<Response> {
  if (!(Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= MAX_BODY)) return new Response(null, { status: 413 })
  try {
    const { taken } = await handlePaymentEvent(await request.text(), request.headers.get('stripe-signature') ?? '')
    return Response.json({ received: true, taken })
  } catch (thrown) {
    const error = asServiceError(thrown)
    if (error.code !== 'NOT_FOUND') log().warn({ err: thrown, code: error.code }, 'an event of the payment provider was rejected')
    return Response.json({ error: error.message }, { status: ERRORS[error.code].status })
  }
}
