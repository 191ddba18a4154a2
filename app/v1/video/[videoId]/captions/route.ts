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
    description: 'Captions of a video by language: those that were set, and those that were found in its file. At most 40, without pages.',
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
