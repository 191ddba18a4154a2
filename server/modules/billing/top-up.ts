import type Stripe from 'stripe'
import { type AccountCtx, actorName, requirePermission } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { env, testValue } from '../../platform/config/config.ts'
import { services } from '../../platform/container.ts'
import { db } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { record } from '../audit/record.ts'
import { creditsText, MICRO } from './price-schema.ts'
import type { TopUpInput } from './schema.ts'

/** What the database can store. Stripe's own limit is lower for most currencies, but not for those with a low value. */
const MOST_AMOUNT = 2_147_483_647

/**
 * Starts a purchase of credits and returns the URL of Stripe's payment page. Stripe's event adds the credits (./payment-event.ts). Errors:
 * FORBIDDEN; CONFLICT without payment settings; INVALID_REQUEST for more than Stripe accepts; SERVICE_UNAVAILABLE if the request to Stripe
 * fails.
 */
export async function beginTopUp(ctx: AccountCtx, { credits }: TopUpInput): Promise<{ url: string }> {
  requirePermission(ctx, 'billing.change')
  const payments = stripe()
  if (!payments)
    throw new ServiceError('CONFLICT', { message: 'Online payments are off on this installation. Ask its operator for credits.' })
  const { accountId, actor } = ctx
  const { BASE_URL, CREDIT_PRICE, CREDIT_CURRENCY } = env()
  const id = newId('pay')
  const amount = credits * CREDIT_PRICE
  if (amount > MOST_AMOUNT) throw tooMuch()
  const micro = BigInt(credits) * BigInt(MICRO)
  await db().$transaction(async (tx) => {
    await tx.payment.create({ data: { id, accountId, credits: micro, amount, currency: CREDIT_CURRENCY, createdBy: actorName(actor) } })
    await record(tx, ctx, {
      action: 'billing.checkout',
      subject: id,
      after: { credits: creditsText(micro), amount, currency: CREDIT_CURRENCY },
    })
  })
  try {
    const client = await payments.client
    const session = await client.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: id,
        ...(actor.kind === 'user' && { customer_email: actor.email }),
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: CREDIT_CURRENCY,
              unit_amount: amount,
              product_data: { name: `${credits.toLocaleString('en-US')} credits` },
            },
          },
        ],
        metadata: { paymentId: id, accountId },
        payment_intent_data: { metadata: { paymentId: id, accountId } },
        success_url: `${BASE_URL}/billing?payment=${id}`,
        cancel_url: `${BASE_URL}/billing`,
      },
      { idempotencyKey: id },
    )
    await db().payment.update({ where: { id, accountId }, data: { sessionId: session.id } })
    return { url: session.url as string }
  } catch (error) {
    if ((error as { code?: string }).code === 'amount_too_large') throw tooMuch()
    // The error's message can contain the Stripe key.
    log().warn({ type: (error as { type?: string }).type, payment: id }, 'Stripe did not create a checkout session')
    throw new ServiceError('SERVICE_UNAVAILABLE', {
      message: 'The payment provider is not responding. Try again in a minute.',
      retryAfter: 60,
    })
  }
}

function tooMuch(): ServiceError {
  const message = 'This is more than the payment provider accepts at once. Buy fewer credits.'
  return new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'body', path: 'credits', message }] })
}

export interface StripeSettings {
  client: Promise<Stripe>
  webhookSecret: string
}

declare module '../../platform/container.ts' {
  interface Services {
    stripe: Promise<Stripe>
  }
}

/** Returns the configured Stripe client. Undefined without the settings. */
export function stripe(): StripeSettings | undefined {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = env()
  if (!STRIPE_SECRET_KEY || !STRIPE_WEBHOOK_SECRET) return undefined
  return { client: services().stripe, webhookSecret: STRIPE_WEBHOOK_SECRET }
}

/**
 * Creates the client. `stripe()` reads the service only if it is configured. Loads the library here, because its 218 modules take a third
 * of a process's start.
 */
export async function makeStripe(): Promise<Stripe> {
  const { default: Stripe } = await import('stripe')
  const { STRIPE_SECRET_KEY = '' } = env()
  const { hostname, port, protocol } = new URL(testValue('STRIPE_URL') ?? 'https://api.stripe.com')
  return new Stripe(STRIPE_SECRET_KEY, {
    host: hostname,
    ...(port && { port }),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: 15_000,
    maxNetworkRetries: 1,
    telemetry: false,
  })
}
