import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { trafficCollector } from '#server/modules/analytics/requests/collector'
import { issueHeaders, playbackToken } from '#server/modules/delivery/schema'
import { issueToken } from '#server/modules/delivery/tokens/issue'
import { playbackPolicy } from '#server/modules/delivery/tokens/policy'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  POST: endpoint({
    operationId: 'createPlaybackToken',
    ownTurns: true,
    tag: 'Playback',
    summary: 'Generate a playback token',
    description:
      'Issues a token for one video. Issue a new one for each playback session; it is valid for 5 minutes. Call this from your server only, because it requires the API key. A body restricts the session; without one, nothing is restricted.',
    auth: 'key',
    scope: 'video:read',
    params: videoParams,
    headers: issueHeaders,
    body: playbackPolicy,
    optionalBody: true,
    response: playbackToken,
    errors: ['VIDEO_NOT_FOUND', 'VIDEO_NOT_READY', 'IDEMPOTENCY_KEY_REUSED', 'RATE_LIMIT_EXCEEDED'],
    rateLimited: true,
    async run(ctx, { params, headers, body }) {
      const {
        headers: counters,
        tokenId,
        ...data
      } = await issueToken(ctx, {
        ...params,
        policy: body,
        idempotencyKey: headers['Idempotency-Key'],
        count: (key, granted) => trafficCollector().token(key, granted),
      })
      return { data, headers: counters, about: { tokenId } }
    },
  }),
})
