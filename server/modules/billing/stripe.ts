import type Stripe from 'stripe'
import { env, testValue } from '../../platform/config/config.ts'
import { services } from '../../platform/container.ts'

export interface StripeSettings {
  client: Promise<Stripe>
  webhookSecret: string
}

declare module '../../platform/container.ts' {
  interface Services {
    stripe: Promise<Stripe>
  }
}

/** Returns the configured Stripe client; undefined without the settings. */
export function stripe(): StripeSettings | undefined {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = env()
  if (!STRIPE_SECRET_KEY || !STRIPE_WEBHOOK_SECRET) return undefined
  return { client: services().stripe, webhookSecret: STRIPE_WEBHOOK_SECRET }
}

/**
 * Creates the client. Needs the settings: `stripe()` reads the service only with them. The library is loaded here: its 218 modules take a
 * third of a process's start.
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
