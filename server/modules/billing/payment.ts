import type { Tx } from '../../platform/database/database.ts'
import type { Payment } from '../../platform/prisma/client.ts'

/** Returns the id of a Stripe reference, which is an id or an expanded object. */
export const idOf = (named: string | { id: string } | null | undefined): string | undefined =>
  typeof named === 'string' ? named : named?.id

/** Returns a payment and locks it until the transaction ends; null for an unknown one, such as another shop's on the Stripe account. */
export async function lockPayment(tx: Tx, by: { id: string } | { paymentIntent: string }): Promise<Payment | null> {
  const payment = await tx.payment.findUnique({ where: by })
  if (!payment) return null
  await tx.$queryRaw`SELECT 1 FROM payment WHERE id = ${payment.id} FOR UPDATE`
  return tx.payment.findUnique({ where: { id: payment.id } })
}
