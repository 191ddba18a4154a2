import Stripe from 'stripe'
import { env } from '../../platform/config.ts'
import { processWide } from '../../platform/process-wide.ts'

export interface StripeSettings {
  client: Stripe
  webhookSecret: string
}

/** Returns the configured Stripe client; undefined without the settings. */
export function stripe(): StripeSettings | undefined {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_URL } = env()
  if (!STRIPE_SECRET_KEY || !STRIPE_WEBHOOK_SECRET) return undefined
  const client = processWide('stripe', () => {
    const { hostname, port, protocol } = new URL(STRIPE_URL)
    return new Stripe(STRIPE_SECRET_KEY, {
      host: hostname,
      ...(port && { port }),
      protocol: protocol === 'http:' ? 'http' : 'https',
      timeout: 15_000,
      maxNetworkRetries: 1,
      telemetry: false,
    })
  })
  return { client, webhookSecret: STRIPE_WEBHOOK_SECRET }
}
