import type { AccountCtx } from '../../../server/context.ts'
import { giveCredit } from '../../../server/modules/billing/credit.ts'
import { setTier } from '../../../server/modules/billing/set-limits.ts'
import { query } from '../../../server/platform/database/database.ts'
import { makeAccount, makeKey } from '../../../server/testing/make.ts'
import { makeEndpoint } from '../../../server/testing/make-endpoint.ts'
import { cookieFor } from '../../../server/testing/sign-in.ts'
import type { Outcomes } from './outcomes.ts'
import { TokenClient } from './token-client.ts'

/** Credits that the account has: more than its tokens cost. */
export const CREDITS = 1_000_000
const UNREACHED = 10_000_000

/** The customer whose backends, viewers and members make up the load. */
export interface Customer {
  ctx: AccountCtx
  /** Of a signed-in member. */
  cookie: string
  /** Secret of the webhook endpoint for every type of event. */
  webhookSecret: string
  /** Keys whose quota is reached, one after another. */
  limited: TokenClient[]
  /** For viewers; its quota is not reached. */
  viewing: TokenClient
  /** For a backend that repeats requests with an Idempotency-Key until it has a token. */
  careful: TokenClient
}

/** Creates an account on the paid tier with keys, a webhook endpoint and a signed-in member. */
export async function makeCustomer(outcomes: Outcomes, receiverUrl: string, limitedKeys: number, quota: number): Promise<Customer> {
  const ctx = await makeAccount()
  const { secret } = await makeEndpoint(ctx, receiverUrl)
  await setTier(ctx, { tier: 'PAID' })
  await giveCredit({ ...ctx, actor: { kind: 'operator' } }, { credits: BigInt(CREDITS) * 1_000_000n, reason: 'For the load' })
  const client = async (quota: number) => {
    const key = await makeKey(ctx)
    await query('soak-quota', 'UPDATE api_key SET daily_quota = $2 WHERE id = $1', [key.id, quota])
    return new TokenClient(outcomes, key, quota)
  }
  const limited: TokenClient[] = []
  while (limited.length < limitedKeys) limited.push(await client(quota))
  const [viewing, careful] = [await client(UNREACHED), await client(UNREACHED)]
  return { ctx, cookie: await cookieFor(ctx), webhookSecret: secret, limited, viewing, careful }
}

export const tokenClients = ({ limited, viewing, careful }: Customer) => [...limited, viewing, careful]
