import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { expandedVideo, expandQuery } from '#server/modules/transcoding/expanded-schema'
import { listExpandedVideos } from '#server/modules/transcoding/expanded-video'
import { listVideoPage, listVideos } from '#server/modules/videos/list'
import { listExtra, listQuery } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listVideos',
    tag: 'Videos',
    summary: 'List videos',
    description:
      'Every video of the account, newest first. Without parameters, the response contains all of them. `expand` enables pagination, like `limit`.',
    auth: 'key',
    scope: 'video:read',
    params: z.object({}),
    query: listQuery.extend(expandQuery.shape),
    response: z.array(expandedVideo),
    extra: listExtra,
    etag: true,
    errors: [],
    async run(ctx, { query }) {
      const { expand } = query
      if (expand) {
        const { videos, pagination } = await listExpandedVideos(ctx, { ...query, expand })
        return { data: videos, extra: { pagination } }
      }
      if (query.limit === undefined && query.cursor === undefined) return listVideos(ctx)
      const { videos, pagination } = await listVideoPage(ctx, query)
      return { data: videos, extra: { pagination } }
    },
  }),
})
