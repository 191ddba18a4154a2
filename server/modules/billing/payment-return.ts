import type Stripe from 'stripe'
import type { ActionName } from '../../audit-actions.ts'
import type { AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database.ts'
import type { Payment } from '../../platform/prisma/client.ts'
import { lockWallet } from '../accounts/lock-wallet.ts'
import { record } from '../audit/record.ts'
import { creditsText } from '../pricing/schema.ts'
import { accountExists } from './account-exists.ts'
import { applyWalletTransaction } from './apply-wallet-transaction.ts'
import { idOf, lockPayment } from './payment.ts'

/** How much of a payment's money is away, in the currency's smallest unit. */
type Away = Pick<Payment, 'refunded' | 'disputed'>

/**
 * Books money of a payment that went back to who had paid it, or came again: refunds, refunds that failed, and what a dispute takes and,
 * once it is won, returns. Other events are none of ours. Errors: CONFLICT, so that it is sent again, for what overtook its payment.
 */
export async function takeReturn(tx: Tx, event: Stripe.Event): Promise<void> {
  if (event.type === 'charge.refunded') await refunded(tx, event.data.object, event)
  else if (event.type === 'refund.failed') await refundFailed(tx, event.data.object, event)
  else if (event.type === 'charge.dispute.funds_withdrawn') await disputed(tx, event.data.object, event.id, 1)
  else if (event.type === 'charge.dispute.funds_reinstated') await disputed(tx, event.data.object, event.id, -1)
}

/**
 * `amount_refunded` is what was refunded when the event was made, failed refunds left out. So the newest event alone counts; of several of
 * one second the one with the largest sum.
 */
async function refunded(tx: Tx, charge: Stripe.Charge, { id, created }: Stripe.Event): Promise<void> {
  const named = charge.metadata?.paymentId
  const paymentIntent = idOf(charge.payment_intent)
  const payment = named ? await lockPayment(tx, { id: named }) : await known(tx, paymentIntent)
  if (!payment) return
  const sum = Math.min(charge.amount_refunded, payment.amount)
  const [at, before] = [new Date(created * 1_000), payment.refundToldAt]
  if (before && (at < before || (at.getTime() === before.getTime() && sum <= payment.refunded))) return
  await tx.payment.update({ where: { id: payment.id }, data: { refundToldAt: at } })
  await settle(tx, payment, { refunded: sum, disputed: payment.disputed }, 'refund', id)
}

/** Money that was refunded and came again, weeks later, for the card or the account is no more. */
async function refundFailed(tx: Tx, refund: Stripe.Refund, { id, created }: Stripe.Event): Promise<void> {
  const payment = await known(tx, idOf(refund.payment_intent))
  const at = new Date(created * 1_000)
  // An event on the charge that was made after it knows of it.
  if (!payment || (payment.refundToldAt && at < payment.refundToldAt)) return
  await tx.payment.update({ where: { id: payment.id }, data: { refundToldAt: at } })
  await settle(tx, payment, { refunded: Math.max(0, payment.refunded - refund.amount), disputed: payment.disputed }, 'refund', id)
}

async function disputed(tx: Tx, dispute: Stripe.Dispute, eventId: string, sign: 1 | -1): Promise<void> {
  const payment = await known(tx, idOf(dispute.payment_intent))
  if (!payment) return
  const sum = payment.disputed + sign * dispute.amount
  if (sum < 0) throw new ServiceError('CONFLICT', { message: 'This dispute is not known to have taken anything yet.' })
  await settle(tx, payment, { refunded: payment.refunded, disputed: sum }, 'dispute', eventId)
}

const known = (tx: Tx, paymentIntent: string | undefined) => (paymentIntent ? lockPayment(tx, { paymentIntent }) : null)

const WORDS = {
  refund: { taken: ['Refund of payment', ''], returned: ['Refund of payment', ' failed'] },
  dispute: { taken: ['Chargeback of payment', ''], returned: ['Chargeback of payment', ' undone: the dispute was won'] },
} as const
const ACTIONS: Record<keyof typeof WORDS, { taken: ActionName; returned: ActionName }> = {
  refund: { taken: 'billing.refund', returned: 'billing.refund_failed' },
  dispute: { taken: 'billing.dispute', returned: 'billing.dispute_won' },
}

/**
 * Moves the worth of the money that is away now and was not before, or the other way round. What was spent cannot be taken back, for a
 * balance is never negative; what was not taken is not given back.
 */
async function settle(tx: Tx, payment: Payment, now: Away, kind: keyof typeof WORDS, eventId: string): Promise<void> {
  if (!payment.paidAt) throw new ServiceError('CONFLICT', { message: 'This payment is not known to have been made yet.' })
  const worth = ({ refunded, disputed }: Away) =>
    (payment.credits * BigInt(Math.min(refunded + disputed, payment.amount))) / BigInt(payment.amount)
  const owed = worth(now) - worth(payment)
  const accountId = payment.accountId as AccountId
  const { balance } = await lockWallet(tx, accountId)
  const before = kind === 'refund' ? payment.refundTaken : payment.disputeTaken
  // Above 0 it is taken, below 0 it is given back.
  const taken = owed > 0n ? least(owed, balance) : -least(-owed, before)
  const way = owed > 0n ? 'taken' : 'returned'
  if (taken !== 0n) {
    const [what, how] = WORDS[kind][way]
    const short = owed > taken && owed > 0n ? `; ${creditsText(owed - taken)} credits of it had been spent` : ''
    const reason = `${what} ${payment.id}${how}${short}`
    await applyWalletTransaction(tx, accountId, { kind, amount: -taken, actor: 'stripe', reference: `stripe:${eventId}`, reason })
  }
  const after = before + taken
  await tx.payment.update({
    where: { id: payment.id },
    data: { ...now, ...(kind === 'refund' ? { refundTaken: after } : { disputeTaken: after }) },
  })
  if (owed === 0n || !(await accountExists(tx, accountId))) return
  const change = { action: ACTIONS[kind][way], subject: payment.id, after: { ...now, credits: creditsText(taken < 0n ? -taken : taken) } }
  await record(tx, { accountId, actor: { kind: 'system' } }, change)
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)
