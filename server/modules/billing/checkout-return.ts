import type Stripe from 'stripe'
import type { ActionName } from '../../audit-actions.ts'
import type { AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { Payment } from '../../platform/prisma/client.ts'
import { record } from '../audit/record.ts'
import { lockWallet } from '../identity/accounts/storage.ts'
import { accountExists, applyWalletTransaction } from './apply-wallet-transaction.ts'
import { idOf, lockPayment } from './credit.ts'
import { creditsText } from './price-schema.ts'

/** A payment's refunded and disputed amounts, in the currency's smallest unit. */
type Away = Pick<Payment, 'refunded' | 'disputed'>

/**
 * Books money returned from a payment: refunds, failed refunds, and funds that a dispute withdraws and, once won, reinstates. Ignores other
 * events. Errors: CONFLICT, so that Stripe repeats the event, if it arrives before its payment's.
 */
export async function handleCheckoutReturn(tx: Tx, event: Stripe.Event): Promise<void> {
  if (event.type === 'charge.refunded') await refunded(tx, event.data.object, event)
  else if (event.type === 'refund.failed') await refundFailed(tx, event.data.object, event)
  else if (event.type === 'charge.dispute.funds_withdrawn') await disputed(tx, event.data.object, event.id, 1)
  else if (event.type === 'charge.dispute.funds_reinstated') await disputed(tx, event.data.object, event.id, -1)
}

/**
 * Applies a refund event. `amount_refunded` is the total at the time of the event, without failed refunds, so only the newest event counts;
 * within one second, the one with the largest total.
 */
async function refunded(tx: Tx, charge: Stripe.Charge, { id, created }: Stripe.Event): Promise<void> {
  const named = charge.metadata?.paymentId
  const paymentIntent = idOf(charge.payment_intent)
  const payment = named ? await lockPayment(tx, { id: named }) : await known(tx, paymentIntent)
  if (!payment) return
  const sum = Math.min(charge.amount_refunded, payment.amount)
  const [at, before] = [new Date(created * 1_000), payment.refundEventAt]
  if (before && (at < before || (at.getTime() === before.getTime() && sum <= payment.refunded))) return
  await tx.payment.update({ where: { id: payment.id }, data: { refundEventAt: at } })
  await settle(tx, payment, { refunded: sum, disputed: payment.disputed }, 'refund', id)
}

/** Applies a failed refund: the money comes back, up to weeks later, because the card or bank account no longer exists. */
async function refundFailed(tx: Tx, refund: Stripe.Refund, { id, created }: Stripe.Event): Promise<void> {
  const payment = await known(tx, idOf(refund.payment_intent))
  const at = new Date(created * 1_000)
  // A later refund event of the charge already includes this failure.
  if (!payment || (payment.refundEventAt && at < payment.refundEventAt)) return
  await tx.payment.update({ where: { id: payment.id }, data: { refundEventAt: at } })
  await settle(tx, payment, { refunded: Math.max(0, payment.refunded - refund.amount), disputed: payment.disputed }, 'refund', id)
}

async function disputed(tx: Tx, dispute: Stripe.Dispute, eventId: string, sign: 1 | -1): Promise<void> {
  const payment = await known(tx, idOf(dispute.payment_intent))
  if (!payment) return
  const sum = payment.disputed + sign * dispute.amount
  if (sum < 0) throw new ServiceError('CONFLICT', { message: 'We have not recorded a withdrawal for this dispute yet.' })
  await settle(tx, payment, { refunded: payment.refunded, disputed: sum }, 'dispute', eventId)
}

const known = (tx: Tx, paymentIntent: string | undefined) => (paymentIntent ? lockPayment(tx, { paymentIntent }) : null)

const DESCRIPTIONS = {
  refund: { taken: ['Refund of payment', ''], returned: ['Refund of payment', ' failed'] },
  dispute: { taken: ['Chargeback of payment', ''], returned: ['Chargeback of payment', ' reversed: the dispute was won'] },
} as const
const ACTIONS: Record<keyof typeof DESCRIPTIONS, { taken: ActionName; returned: ActionName }> = {
  refund: { taken: 'billing.refund', returned: 'billing.refund_failed' },
  dispute: { taken: 'billing.dispute', returned: 'billing.dispute_won' },
}

/**
 * Debits the credits for newly returned money, or credits them again when the money is reinstated. Debits at most the balance, which is
 * never negative; credits at most what it debited earlier.
 */
async function settle(tx: Tx, payment: Payment, now: Away, kind: keyof typeof DESCRIPTIONS, eventId: string): Promise<void> {
  if (!payment.paidAt) throw new ServiceError('CONFLICT', { message: 'We have not recorded this payment as paid yet.' })
  const worth = ({ refunded, disputed }: Away) =>
    (payment.credits * BigInt(Math.min(refunded + disputed, payment.amount))) / BigInt(payment.amount)
  const owed = worth(now) - worth(payment)
  const accountId = payment.accountId as AccountId
  const { balance } = await lockWallet(tx, accountId)
  const before = kind === 'refund' ? payment.refundTaken : payment.disputeTaken
  // Positive: debited. Negative: credited again.
  const taken = owed > 0n ? least(owed, balance) : -least(-owed, before)
  const way = owed > 0n ? 'taken' : 'returned'
  if (taken !== 0n) {
    const [what, how] = DESCRIPTIONS[kind][way]
    const short = owed > taken && owed > 0n ? `; ${creditsText(owed - taken)} of these credits have already been spent` : ''
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
