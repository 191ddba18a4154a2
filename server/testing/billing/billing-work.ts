import type { IncomingMessage, ServerResponse } from 'node:http'
import { POST } from '../../../app/api/stripe/route.ts'
import type { AccountCtx, AccountId } from '../../context.ts'
import { closeAllHours } from '../../modules/billing/close-hours.ts'
import { giveCredit } from '../../modules/billing/credit.ts'
import { setTier } from '../../modules/billing/set-limits.ts'

/**
 * Serves other operations that move money over HTTP, so that a test can kill the process that performs them: the payment provider's own
 * address, and `/testing/{credit,tier,close}` for those of operators and the queue.
 */
export async function billingWork(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost')
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  const answer = async (): Promise<number> => {
    if (pathname === '/api/stripe') {
      const [body, signature] = [Buffer.concat(parts), String(req.headers['stripe-signature'])]
      const headers = { 'stripe-signature': signature, 'content-length': String(body.length) }
      return (await POST(new Request('http://localhost/api/stripe', { method: 'POST', headers, body }))).status
    }
    const ctx: AccountCtx = { accountId: searchParams.get('account') as AccountId, actor: { kind: 'operator' }, requestId: 'req_test' }
    if (pathname === '/testing/credit')
      await giveCredit(ctx, { credits: BigInt(searchParams.get('credits') ?? 0), reason: searchParams.get('reason') ?? '' })
    else if (pathname === '/testing/tier') await setTier(ctx, { tier: searchParams.get('tier') as 'FREE' | 'PAID' })
    else if (pathname === '/testing/close') await closeAllHours()
    else return 404
    return 200
  }
  res.writeHead(await answer().catch(() => 500)).end()
}
