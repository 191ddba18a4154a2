import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { getVideo } from '#server/modules/videos/get'
import { video, videoParams } from '#server/modules/videos/schema'

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
