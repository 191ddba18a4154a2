import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { getPictures } from '#server/modules/delivery/playlists/video-pictures'
import { picturesOfVideo, picturesQuery } from '#server/modules/transcoding/pictures/pictures-schema'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getPictures',
    tag: 'Videos',
    summary: 'Get the pictures of a video',
    description:
      'Returns signed URLs of the poster, the storyboard for seek previews, and a thumbnail at any second. Each URL opens its own picture only, so you can give it to a browser.',
    additive: true,
    auth: 'key',
    scope: 'video:read',
    params: videoParams,
    query: picturesQuery,
    response: picturesOfVideo,
    etag: true,
    errors: ['VIDEO_NOT_FOUND'],
    run: async (ctx, { params, query }) => ({ data: await getPictures(ctx, { ...params, ...query }) }),
  }),
})
