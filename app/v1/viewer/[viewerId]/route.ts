import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { viewer, viewerParams, viewersExtra, viewersQuery } from '#server/modules/delivery/viewers/schema'
import { getViewer } from '#server/modules/delivery/viewers/viewers'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getViewer',
    tag: 'Viewers',
    summary: 'Get a viewer',
    description:
      'Returns the sessions of a person now, and how much of each video they have watched. `cursor` continues the list of videos.',
    additive: true,
    auth: 'key',
    scope: 'viewer:read',
    params: viewerParams,
    query: viewersQuery,
    response: viewer,
    extra: viewersExtra,
    errors: ['VIEWER_NOT_FOUND'],
    async run(ctx, { params, query }) {
      const { viewer: data, pagination } = await getViewer(ctx, { ...params, ...query })
      return { data, extra: { pagination } }
    },
  }),
})
