import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccountCtx, AccountId } from '../../context.ts'
import { closeAllHours } from '../../modules/billing/close-hours.ts'
import { giveCredit } from '../../modules/billing/credit.ts'
import { handlePaymentEvent } from '../../modules/billing/payment-event.ts'
import { setTier } from '../../modules/billing/set-limits.ts'

/**
 * Serves operations that move money and have no address on this server, so that a test can kill the process that performs them: events of
 * the payment provider, and what operators and the queue do.
 */
export async function billingWork(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost')
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  const answer = async (): Promise<number> => {
    const ctx: AccountCtx = { accountId: searchParams.get('account') as AccountId, actor: { kind: 'operator' }, requestId: 'req_test' }
    if (pathname === '/testing/payment') await handlePaymentEvent(Buffer.concat(parts).toString(), String(req.headers['stripe-signature']))
    else if (pathname === '/testing/credit')
      await giveCredit(ctx, { credits: BigInt(searchParams.get('credits') ?? 0), reason: searchParams.get('reason') ?? '' })
    else if (pathname === '/testing/tier') await setTier(ctx, { tier: searchParams.get('tier') as 'FREE' | 'PAID' })
    else if (pathname === '/testing/close') await closeAllHours()
    else return 404
    return 200
  }
  res.writeHead(await answer().catch(() => 500)).end()
}
