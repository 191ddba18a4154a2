import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { contentKey } from '#server/modules/delivery/segments/content-key'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async ({ params, search }) => {
    const { videoId = '' } = params
    const query = new URLSearchParams(search)
    const get = (name: string) => query.get(name)
    const given = { exp: get('exp'), session: get('session'), sig: get('sig'), until: get('until'), policy: get('policy') }
    const body = await contentKey({ videoId, mediaId: get('media'), ...given })
    return { status: 200, headers: { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' }, body }
  }),
})
