import type { Tx } from '../../platform/database.ts'
import type { Payment } from '../../platform/prisma/client.ts'

/** The id of something that Stripe names either by its id or in whole. */
export const idOf = (named: string | { id: string } | null | undefined): string | undefined =>
  typeof named === 'string' ? named : named?.id

/** A payment, locked for the rest of the transaction; null for none, as those of other shops on the same Stripe account. */
export async function lockPayment(tx: Tx, by: { id: string } | { paymentIntent: string }): Promise<Payment | null> {
  const payment = await tx.payment.findUnique({ where: by })
  if (!payment) return null
  await tx.$queryRaw`SELECT 1 FROM payment WHERE id = ${payment.id} FOR UPDATE`
  return tx.payment.findUnique({ where: { id: payment.id } })
}
