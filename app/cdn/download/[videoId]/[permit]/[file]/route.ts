import { immutableReply } from '#server/http/bytes'
import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { attachment } from '#server/modules/delivery/downloads/filename'
import { findDownload } from '#server/modules/delivery/downloads/find-download'

/** Serves one file of a video as a download, whole or in ranges, by its signed URL. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async (call) => {
    const { videoId = '', permit = '', file = '' } = call.params
    const { filename, count, ...body } = await findDownload({ videoId, permit, file })
    const reply = immutableReply(call, { cacheControl: 'private, no-store', ...body })
    if (reply.body !== null) reply.headers['Content-Disposition'] = attachment(filename)
    const begins = reply.status === 200 || reply.headers['Content-Range']?.startsWith('bytes 0-')
    if (call.method === 'GET' && reply.body !== null && begins) await count()
    return reply
  }),
})
