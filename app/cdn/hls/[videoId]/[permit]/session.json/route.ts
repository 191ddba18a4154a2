import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { playbackSession } from '#server/modules/delivery/sessions/session'

/** Serves the title, poster, captions and previews that the embed player shows around the video. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async ({ params }) => {
    const body = JSON.stringify(await playbackSession({ videoId: params.videoId ?? '', permit: params.permit ?? '' }))
    return { status: 200, headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }, body }
  }),
})
