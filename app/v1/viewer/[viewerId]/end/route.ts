import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { endedViewer, viewerParams } from '#server/modules/delivery/viewers/schema'
import { endViewer } from '#server/modules/delivery/viewers/viewers'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  POST: endpoint({
    operationId: 'endViewer',
    tag: 'Viewers',
    summary: 'End the sessions of a viewer',
    description: 'Ends every session of a person at once: we refuse its playlists and keys, and it stops counting toward the limit.',
    additive: true,
    auth: 'key',
    scope: 'viewer:write',
    params: viewerParams,
    response: endedViewer,
    errors: ['VIEWER_NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
    run: async (ctx, { params }) => ({ data: await endViewer(ctx, params) }),
  }),
})
