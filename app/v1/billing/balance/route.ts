import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { readBalance } from '#server/modules/billing/balance'
import { balance } from '#server/modules/billing/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getBalance',
    tag: 'Billing',
    summary: 'Get the balance',
    description:
      'Returns the credits left in the wallet of the account. On the paid tier, each token costs 0.0005 credits, charged when it is issued.',
    auth: 'key',
    scope: 'billing:read',
    params: z.object({}),
    response: balance,
    errors: [],
    run: async (ctx) => ({ data: await readBalance(ctx) }),
  }),
})
