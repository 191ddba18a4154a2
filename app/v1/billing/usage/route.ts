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
      'What each API key did on each UTC day, this month so far unless a span is given; at most 366 days. Counts of requests follow within seconds, tokens and credits at once.',
    auth: 'key',
    scope: 'billing:read',
    params: z.object({}),
    query: usageQuery,
    response: usage,
    errors: [],
    run: async (ctx, { query }) => ({ data: await readUsage(ctx, query) }),
  }),
})
