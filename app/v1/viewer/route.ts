import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { listedViewer, viewersExtra, viewersQuery } from '#server/modules/delivery/viewers/schema'
import { listViewers } from '#server/modules/delivery/viewers/viewers'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listViewers',
    tag: 'Viewers',
    summary: 'List viewers',
    description: 'Returns all viewers with an ID, most recent first, including those who were refused.',
    additive: true,
    auth: 'key',
    scope: 'viewer:read',
    params: z.object({}),
    query: viewersQuery,
    response: z.array(listedViewer),
    extra: viewersExtra,
    errors: [],
    async run(ctx, { query }) {
      const { viewers, pagination } = await listViewers(ctx, query)
      return { data: viewers, extra: { pagination } }
    },
  }),
})
