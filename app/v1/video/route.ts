import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { expandedVideo } from '#server/modules/delivery/tokens/expanded-schema'
import { listExpandedVideos } from '#server/modules/delivery/tokens/expanded-video'
import { isPage, videosQuery } from '#server/modules/delivery/tokens/list-schema'
import { listVideoPage, listVideos } from '#server/modules/videos/list/list'
import { listExtra } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listVideos',
    ownTurns: true,
    tag: 'Videos',
    summary: 'List videos',
    description:
      'Returns every video of the account, newest first. Without parameters, the response contains all of them. Each parameter turns on pagination; we then refuse unknown parameters.',
    auth: 'key',
    scope: 'video:read',
    params: z.object({}),
    query: videosQuery,
    response: z.array(expandedVideo),
    extra: listExtra,
    etag: true,
    errors: [],
    async run(ctx, { query }) {
      if (!isPage(query)) return listVideos(ctx)
      const { limit, cursor, expand = [], ...filters } = query
      const isFiltered = expand.length > 0 || Object.keys(filters).length > 0
      const { videos, pagination } = isFiltered
        ? await listExpandedVideos(ctx, { ...query, expand })
        : await listVideoPage(ctx, { limit, cursor })
      return { data: videos, extra: { pagination } }
    },
  }),
})
