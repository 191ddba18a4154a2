import { playbackSession } from '#server/playback/session'
import { delivery } from '#server/rest/delivery'
import { route } from '#server/rest/route'

/** What the embed player shows around the picture. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: delivery(async ({ params }) => {
    const body = JSON.stringify(await playbackSession({ videoId: params.videoId ?? '', grant: params.grant ?? '' }))
    return { status: 200, headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }, body }
  }),
})
