import { immutableReply } from '#server/http/bytes'
import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { deliveredBytes } from '#server/modules/analytics/delivered/delivered-bytes'
import { findSegment } from '#server/modules/delivery/segments/segment'
import { segmentType } from '#server/modules/videos/media-keys'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async (call) => {
    const { mediaId = '', segment = '' } = call.params
    const found = await findSegment({ mediaId, segment })
    if ('location' in found) {
      if (call.method === 'GET') deliveredBytes().redirected(mediaId, segment)
      return { status: 302, headers: { Location: found.location, 'Cache-Control': `public, max-age=${found.maxAgeSec}` }, body: null }
    }
    const reply = immutableReply(call, { contentType: segmentType(segment), ...found })
    reply.sent = (bytes) => deliveredBytes().sent(mediaId, segment, bytes)
    return reply
  }),
})
