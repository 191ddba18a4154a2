import { immutableReply } from '#server/http/bytes'
import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { findSegment } from '#server/modules/playback/segment'
import { segmentType } from '#server/modules/videos/media-keys'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async (call) => {
    const { videoId = '', segment = '' } = call.params
    const found = await findSegment({ videoId, segment })
    if ('location' in found)
      return { status: 302, headers: { Location: found.location, 'Cache-Control': `public, max-age=${found.maxAgeSec}` }, body: null }
    return immutableReply(call, { contentType: segmentType(segment), ...found })
  }),
})
