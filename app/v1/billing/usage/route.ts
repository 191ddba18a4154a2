import { z } from 'zod'
import { usage, usageQuery } from '#server/billing/schema'
import { readUsage } from '#server/billing/usage'
import { endpoint } from '#server/rest/endpoint'
import { route } from '#server/rest/route'

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
