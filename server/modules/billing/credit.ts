import { type AccountCtx, type AccountId, actorName, requireStaff } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import type { Payment } from '../../platform/prisma/client.ts'
import { record } from '../audit/record.ts'
import { type AppliedTransaction, applyWalletTransaction, inTransaction, type TransactionScope } from './apply-wallet-transaction.ts'
import { creditsText } from './price-schema.ts'
import type { CorrectInput, CreditInput } from './schema.ts'

/**
 * Adds credit to an account without a payment. For operators and support staff, with a reason that the ledger stores. Emits
 * wallet.refilled. Errors: FORBIDDEN for other actors.
 */
export async function giveCredit(
  ctx: AccountCtx,
  { credits, reason }: CreditInput,
  within: TransactionScope = {},
): Promise<AppliedTransaction> {
  requireStaff(ctx)
  return inTransaction(within, async (tx) => {
    const actor = actorName(ctx.actor)
    const moved = (await applyWalletTransaction(tx, ctx.accountId, {
      kind: 'credit',
      amount: credits,
      actor,
      reason,
      reference: within.reference,
    })) as AppliedTransaction
    await record(tx, ctx, {
      action: 'billing.credit',
      subject: ctx.accountId,
      before: { balance: creditsText(moved.previousBalance) },
      after: { balance: creditsText(moved.balance), credits: creditsText(credits), reason },
    })
    return moved
  })
}

/**
 * Corrects the balance with a separate ledger entry, because entries are never edited. For operators and support staff. Errors: FORBIDDEN
 * for other actors, CONFLICT if the amount exceeds the balance.
 */
export async function correctBalance(
  ctx: AccountCtx,
  { credits, direction, reason }: CorrectInput,
  within: TransactionScope = {},
): Promise<AppliedTransaction> {
  requireStaff(ctx)
  const amount = direction === 'add' ? credits : -credits
  return inTransaction(within, async (tx) => {
    const movement = { kind: 'correction', amount, actor: actorName(ctx.actor), reason, reference: within.reference } as const
    const moved = await applyWalletTransaction(tx, ctx.accountId, movement)
    if (!moved)
      throw new ServiceError('CONFLICT', {
        message: 'The balance is lower than this amount, and it cannot become negative. Enter a smaller amount.',
      })
    await record(tx, ctx, {
      action: 'billing.correct',
      subject: ctx.accountId,
      before: { balance: creditsText(moved.previousBalance) },
      after: { balance: creditsText(moved.balance), credits: creditsText(amount), reason },
    })
    return moved
  })
}

/** Returns the ID of a Stripe reference, which is an ID or an expanded object. */
export const idOf = (named: string | { id: string } | null | undefined): string | undefined =>
  typeof named === 'string' ? named : named?.id

/**
 * Returns a payment and locks it until the transaction ends. Null for an unknown one, such as another shop's on the same Stripe account.
 */
export async function lockPayment(tx: Tx, by: { id: string } | { paymentIntent: string }): Promise<Payment | null> {
  const payment = await tx.payment.findUnique({ where: by })
  if (!payment) return null
  await tx.$queryRaw`SELECT 1 FROM payment WHERE id = ${payment.id} FOR UPDATE`
  return tx.payment.findUnique({ where: { id: payment.id } })
}

/**
 * Finds the account for an operator's command by its ID or an owner's email address. Errors: NOT_FOUND; CONFLICT, with the IDs, if the
 * owner has several accounts.
 */
export async function operatorAccount(named: string): Promise<AccountCtx> {
  const text = named.trim()
  const rows = await db().account.findMany({
    where: {
      deletedAt: null,
      ...(text.includes('@') ? { members: { some: { role: 'OWNER', user: { email: text.toLowerCase() } } } } : { id: text }),
    },
    select: { id: true, name: true },
  })
  const [account, ...others] = rows
  if (!account)
    throw new ServiceError('NOT_FOUND', { message: `No account has the ID “${named}”, and no account owner has this email address.` })
  if (others.length > 0) {
    const list = rows.map(({ id, name }) => `${id} (${name})`).join(', ')
    throw new ServiceError('CONFLICT', { message: `${named} owns several accounts. Specify one by ID: ${list}.` })
  }
  return { accountId: account.id as AccountId, actor: { kind: 'operator' }, requestId: 'operator' }
}
