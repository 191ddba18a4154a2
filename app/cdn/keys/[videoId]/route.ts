import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { contentKey } from '#server/modules/delivery/segments/content-key'
import { keyQuery } from '#server/modules/delivery/segments/key-url'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async ({ params, search }) => {
    const { videoId = '' } = params
    const query = new URLSearchParams(search)
    const body = await contentKey({ videoId, mediaId: query.get('media'), ...keyQuery(query) })
    return { status: 200, headers: { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' }, body }
  }),
})
