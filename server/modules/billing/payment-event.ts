import type Stripe from 'stripe'
import type { AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { creditsText } from '../pricing/schema.ts'
import { applyWalletTransaction } from './apply-wallet-transaction.ts'
import { idOf, lockPayment } from './payment.ts'
import { takeReturn } from './payment-return.ts'
import { stripe } from './stripe.ts'

/**
 * Takes an event of Stripe's as it was sent: `body` must be its very bytes. Each event counts once, however often and however many times at once it
 * is delivered: its id, the payment and the ledger's entry stand in one transaction. Errors: NOT_FOUND where no payments are set up;
 * INVALID_REQUEST for a signature that is not Stripe's; CONFLICT, so that it is sent again, for a payment that is not as we began it.
 */
export async function takePaymentEvent(body: string, signature: string): Promise<{ taken: boolean }> {
  const payments = stripe()
  if (!payments) throw new ServiceError('NOT_FOUND')
  const event = await read(payments, body, signature)
  return db().$transaction(async (tx) => {
    // Of two deliveries at once the second waits here until the first is done, and then finds it.
    const first =
      await tx.$executeRaw`INSERT INTO payment_event (id, type, received_at) VALUES (${event.id}, ${event.type}, service_now()) ON CONFLICT DO NOTHING`
    if (first === 0) return { taken: false }
    if (event.type === 'checkout.session.completed' || event.type === 'checkout.session.async_payment_succeeded')
      await paid(tx, event.data.object)
    else await takeReturn(tx, event)
    return { taken: true }
  })
}

async function read(
  { client, webhookSecret }: { client: Stripe; webhookSecret: string },
  body: string,
  signature: string,
): Promise<Stripe.Event> {
  try {
    return await client.webhooks.constructEventAsync(body, signature, webhookSecret)
  } catch {
    throw new ServiceError('INVALID_REQUEST', { message: 'This is not signed by the payment provider.' })
  }
}

/** A checkout is complete when somebody went through it; the money may still be on its way. */
async function paid(tx: Tx, session: Stripe.Checkout.Session): Promise<void> {
  if (session.payment_status !== 'paid' || !session.client_reference_id) return
  const found = await lockPayment(tx, { id: session.client_reference_id })
  // Sessions of other shops on the same Stripe account are none of ours.
  if (!found || found.paidAt) return
  if (session.amount_total !== found.amount || session.currency !== found.currency)
    throw new ServiceError('CONFLICT', { message: 'The amount paid is not the one asked for.' })
  const accountId = found.accountId as AccountId
  const reference = `stripe:${session.id}`
  const moved = await applyWalletTransaction(tx, accountId, {
    kind: 'top_up',
    amount: found.credits,
    actor: 'stripe',
    reference,
    reason: `Payment ${found.id}`,
  })
  if (!moved) return
  await tx.payment.update({
    where: { id: found.id },
    data: { paidAt: moved.at, paymentIntent: idOf(session.payment_intent) ?? null, sessionId: session.id },
  })
  if (!moved.stands) return
  await record(
    tx,
    { accountId, actor: { kind: 'system' } },
    { action: 'billing.top_up', subject: found.id, after: { credits: creditsText(found.credits), balance: creditsText(moved.balance) } },
  )
}
