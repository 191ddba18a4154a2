import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { videoViewer, viewersExtra, viewersQuery } from '#server/modules/delivery/viewers/schema'
import { listVideoViewers } from '#server/modules/delivery/viewers/viewers'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listVideoViewers',
    tag: 'Viewers',
    summary: 'List the viewers of a video',
    description: 'Returns everyone with an ID who watched the video, most recent first, and how much of it they watched.',
    additive: true,
    auth: 'key',
    scope: 'viewer:read',
    params: videoParams,
    query: viewersQuery,
    response: z.array(videoViewer),
    extra: viewersExtra,
    errors: ['VIDEO_NOT_FOUND'],
    async run(ctx, { params, query }) {
      const { viewers, pagination } = await listVideoViewers(ctx, { ...params, ...query })
      return { data: viewers, extra: { pagination } }
    },
  }),
})
