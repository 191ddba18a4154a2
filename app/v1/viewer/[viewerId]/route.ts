import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { erasure, viewer, viewerParams, viewersExtra, viewersQuery } from '#server/modules/delivery/viewers/schema'
import { eraseViewer, getViewer } from '#server/modules/delivery/viewers/viewers'

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
  DELETE: endpoint({
    operationId: 'eraseViewer',
    tag: 'Viewers',
    summary: 'Erase a viewer',
    description:
      'Ends every session of a person at once, and deletes everything we keep about them. Tokens issued before no longer work for them. If an older backup is restored, we erase the person again. Returns a signed receipt; erasing the person again returns the same one.',
    additive: true,
    auth: 'key',
    scope: 'viewer:write',
    params: viewerParams,
    response: erasure,
    errors: ['VIEWER_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: (await eraseViewer(ctx, params)).receipt }),
  }),
})
