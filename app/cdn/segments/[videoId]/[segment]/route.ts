import { immutableReply } from '#server/http/bytes'
import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { findSegment } from '#server/modules/playback/segment'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async (call) => {
    const { videoId = '', segment = '' } = call.params
    return immutableReply(call, { contentType: 'video/mp2t', ...(await findSegment({ videoId, segment })) })
  }),
})
