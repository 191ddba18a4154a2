import { endpoint } from '#server/rest/endpoint'
import { route } from '#server/rest/route'
import { getVideo } from '#server/video/get'
import { video, videoParams } from '#server/video/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getVideo',
    tag: 'Videos',
    summary: 'Get a video',
    description: 'Poll it every 10 to 30 seconds until the status is COMPLETED or FAILED.',
    auth: 'key',
    scope: 'video:read',
    params: videoParams,
    response: video,
    etag: true,
    errors: ['VIDEO_NOT_FOUND'],
    run: (ctx, { params }) => getVideo(ctx, params),
  }),
})
