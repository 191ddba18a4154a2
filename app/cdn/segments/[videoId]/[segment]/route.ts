import { findSegment } from '#server/playback/segment'
import { immutableReply } from '#server/rest/bytes'
import { delivery } from '#server/rest/delivery'
import { route } from '#server/rest/route'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: delivery(async (call) => {
    const { videoId = '', segment = '' } = call.params
    return immutableReply(call, { contentType: 'video/mp2t', ...(await findSegment({ videoId, segment })) })
  }),
})
