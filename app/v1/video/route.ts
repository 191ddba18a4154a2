import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { listVideoPage, listVideos } from '#server/modules/videos/list'
import { listExtra, listQuery, video } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listVideos',
    tag: 'Videos',
    summary: 'List videos',
    description: 'Every video of the account, newest first. Without parameters, the response contains all of them.',
    auth: 'key',
    scope: 'video:read',
    params: z.object({}),
    query: listQuery,
    response: z.array(video),
    extra: listExtra,
    etag: true,
    errors: [],
    async run(ctx, { query }) {
      if (query.limit === undefined && query.cursor === undefined) return listVideos(ctx)
      const { videos, pagination } = await listVideoPage(ctx, query)
      return { data: videos, extra: { pagination } }
    },
  }),
})
