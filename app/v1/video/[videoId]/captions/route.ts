import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { listCaptions } from '#server/modules/videos/captions/captions'
import { captions, videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listCaptions',
    tag: 'Videos',
    summary: 'List captions',
    description:
      'Returns the captions of a video, sorted by language: the ones you set, and the ones we found in its file. There are at most 40, so this list has no pages.',
    additive: true,
    auth: 'key',
    scope: 'video:read',
    params: videoParams,
    response: z.array(captions),
    etag: true,
    errors: ['VIDEO_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: await listCaptions(ctx, params) }),
  }),
})
