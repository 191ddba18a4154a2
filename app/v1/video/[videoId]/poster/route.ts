import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { expandedVideo } from '#server/modules/delivery/tokens/expanded-schema'
import { MAX_POSTER_BYTES } from '#server/modules/videos/limits'
import { replacePoster } from '#server/modules/videos/poster'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  PUT: endpoint({
    operationId: 'putPoster',
    tag: 'Videos',
    summary: 'Set the poster',
    description: 'Replaces the picture that viewers see before playback. We decode it and store it as a JPEG of at most 1920×1080 pixels.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: videoParams,
    file: {
      types: ['image/jpeg', 'image/png', 'image/webp'],
      maxBytes: MAX_POSTER_BYTES,
      description: 'A JPEG, PNG or WebP image of at most 2 MB and 4096×4096 pixels.',
    },
    response: expandedVideo,
    errors: ['VIDEO_NOT_FOUND', 'TOO_MANY_ATTEMPTS', 'STORAGE_FULL'],
    run: (ctx, { params, file }) => replacePoster(ctx, { ...params, image: file }),
  }),
})
