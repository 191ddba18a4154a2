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
    description: 'What is left in the wallet of the account. A token on the paid tier costs 0.0005 credit, taken as it is issued.',
    auth: 'key',
    scope: 'billing:read',
    params: z.object({}),
    response: balance,
    errors: [],
    run: async (ctx) => ({ data: await readBalance(ctx) }),
  }),
})
