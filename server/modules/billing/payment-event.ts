import type Stripe from 'stripe'
import type { AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { type AppliedTransaction, applyWalletTransaction } from './apply-wallet-transaction.ts'
import { handleCheckoutReturn } from './checkout-return.ts'
import { idOf, lockPayment } from './credit.ts'
import { creditsText } from './price-schema.ts'
import { type StripeSettings, stripe } from './top-up.ts'

/**
 * Processes a Stripe event once, however often it is delivered: writes its ID, the payment and the ledger entry in one transaction. `body`
 * is the unchanged request body. Errors: NOT_FOUND without payment settings; INVALID_REQUEST for an invalid signature; CONFLICT, so that
 * Stripe repeats the event, if amount or currency differ from the payment.
 */
export async function handlePaymentEvent(body: string, signature: string): Promise<{ taken: boolean }> {
  const payments = stripe()
  if (!payments) throw new ServiceError('NOT_FOUND')
  const event = await read(payments, body, signature)
  return db().$transaction(async (tx) => {
    // A concurrent delivery of the same event waits here for the first one's commit, then inserts nothing.
    const first =
      await tx.$executeRaw`INSERT INTO payment_event (id, type, received_at) VALUES (${event.id}, ${event.type}, service_now()) ON CONFLICT DO NOTHING`
    if (first === 0) return { taken: false }
    if (event.type === 'checkout.session.completed' || event.type === 'checkout.session.async_payment_succeeded')
      await paid(tx, event.data.object)
    else await handleCheckoutReturn(tx, event)
    return { taken: true }
  })
}

async function read({ client, webhookSecret }: StripeSettings, body: string, signature: string): Promise<Stripe.Event> {
  const { webhooks } = await client
  try {
    return await webhooks.constructEventAsync(body, signature, webhookSecret)
  } catch {
    throw new ServiceError('INVALID_REQUEST', { message: 'The signature of the payment provider is missing or invalid.' })
  }
}

/** Credits a paid checkout. A completed checkout can be unpaid while the money is in transfer. */
async function paid(tx: Tx, session: Stripe.Checkout.Session): Promise<void> {
  if (session.payment_status !== 'paid' || !session.client_reference_id) return
  const found = await lockPayment(tx, { id: session.client_reference_id })
  // Other shops on the same Stripe account have sessions without a payment here.
  if (!found || found.paidAt) return
  if (session.amount_total !== found.amount || session.currency !== found.currency)
    throw new ServiceError('CONFLICT', { message: 'The amount paid is not the amount requested.' })
  const accountId = found.accountId as AccountId
  const reference = `stripe:${session.id}`
  const moved = (await applyWalletTransaction(tx, accountId, {
    kind: 'top_up',
    amount: found.credits,
    actor: 'stripe',
    reference,
    reason: `Payment ${found.id}`,
  })) as AppliedTransaction
  await tx.payment.update({
    where: { id: found.id },
    data: { paidAt: moved.at, paymentIntent: idOf(session.payment_intent) ?? null, sessionId: session.id },
  })
  if (!moved.exists) return
  await record(
    tx,
    { accountId, actor: { kind: 'system' } },
    { action: 'billing.top_up', subject: found.id, after: { credits: creditsText(found.credits), balance: creditsText(moved.balance) } },
  )
}
