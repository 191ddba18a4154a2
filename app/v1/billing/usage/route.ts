import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { usage, usageQuery } from '#server/modules/billing/schema'
import { readUsage } from '#server/modules/billing/usage'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getUsage',
    tag: 'Billing',
    summary: 'Get usage',
    description:
      'Returns usage by API key and UTC day, for the current month by default and for up to 366 days. We update request counts within seconds, tokens and credits immediately.',
    auth: 'key',
    scope: 'billing:read',
    params: z.object({}),
    query: usageQuery,
    response: usage,
    errors: [],
    run: async (ctx, { query }) => ({ data: await readUsage(ctx, query) }),
  }),
})
