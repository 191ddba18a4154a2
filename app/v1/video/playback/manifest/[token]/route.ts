import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { manifestParams, manifestQuery, playbackManifest } from '#server/modules/delivery/schema'
import { exchangeToken } from '#server/modules/delivery/sessions/exchange'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getPlaybackManifest',
    tag: 'Playback',
    summary: 'Exchange a playback token for the manifest',
    description:
      'The token is the only credential; we ignore an API key. The token of a share link starts one session: a second exchange returns `PLAYBACK_TOKEN_EXPIRED`.',
    auth: 'none',
    params: manifestParams,
    query: manifestQuery,
    response: playbackManifest,
    errors: ['PLAYBACK_TOKEN_INVALID', 'PLAYBACK_TOKEN_EXPIRED', 'VIDEO_NOT_FOUND', 'VIDEO_NOT_READY', 'PLAYBACK_NOT_ALLOWED'],
    cors: true,
    run: ({ method }, { params: { token }, query }) => exchangeToken({ token, ...query, opens: method !== 'HEAD' }),
  }),
})
