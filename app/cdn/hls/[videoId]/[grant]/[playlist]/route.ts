import { ServiceError } from '#server/errors'
import { masterPlaylist } from '#server/playback/master-playlist'
import { mediaPlaylist } from '#server/playback/media-playlist'
import { delivery } from '#server/rest/delivery'
import { route } from '#server/rest/route'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: delivery(async ({ params }) => {
    const { videoId = '', grant = '', playlist = '' } = params
    const name = /^(\w+)\.m3u8$/.exec(playlist)?.[1]
    if (!name) throw new ServiceError('NOT_FOUND')
    const body = name === 'master' ? await masterPlaylist({ videoId, grant }) : await mediaPlaylist({ videoId, grant, quality: name })
    // The key address in it is short-lived, so a copy must never be used without asking.
    return { status: 200, headers: { 'Content-Type': 'application/vnd.apple.mpegurl', 'Cache-Control': 'no-cache' }, body }
  }),
})
