import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { viewerVideo, viewerVideoParams } from '#server/modules/delivery/viewers/schema'
import { getViewerVideo } from '#server/modules/delivery/viewers/viewers'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getViewerVideo',
    tag: 'Viewers',
    summary: 'Get a viewer’s progress in a video',
    description: 'Progress counts distinct seconds that were actually played: seeking to the end completes nothing.',
    additive: true,
    auth: 'key',
    scope: 'viewer:read',
    params: viewerVideoParams,
    response: viewerVideo,
    errors: ['VIEWER_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: await getViewerVideo(ctx, params) }),
  }),
})
