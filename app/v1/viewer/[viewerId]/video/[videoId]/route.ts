import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { viewerVideo, viewerVideoParams } from '#server/modules/delivery/viewers/schema'
import { getViewerVideo } from '#server/modules/delivery/viewers/viewers'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getViewerVideo',
    tag: 'Viewers',
    summary: 'Get what a viewer watched of a video',
    description: 'Progress counts different seconds that were really played: a seek to the end completes nothing.',
    additive: true,
    auth: 'key',
    scope: 'viewer:read',
    params: viewerVideoParams,
    response: viewerVideo,
    errors: ['VIEWER_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: await getViewerVideo(ctx, params) }),
  }),
})
