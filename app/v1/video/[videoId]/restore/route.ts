import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { expandedVideo } from '#server/modules/delivery/tokens/expanded-schema'
import { restoreVideo } from '#server/modules/videos/remove'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  POST: endpoint({
    operationId: 'restoreVideo',
    tag: 'Videos',
    summary: 'Restore a deleted video',
    description: 'Restores a video unchanged, within 7 days of its deletion. If the video is not deleted, returns it as it is.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: videoParams,
    response: expandedVideo,
    etag: 'changed',
    errors: ['VIDEO_NOT_FOUND', 'EXTERNAL_ID_IN_USE', 'TOO_MANY_ATTEMPTS'],
    run: (ctx, { params }) => restoreVideo(ctx, params),
  }),
})
