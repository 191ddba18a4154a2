import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { generateCaptions } from '#server/modules/transcoding/transcripts/generate-captions'
import { generateBody, generateParams, transcription } from '#server/modules/transcoding/transcripts/transcript-schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  POST: endpoint({
    operationId: 'generateCaptions',
    tag: 'Videos',
    summary: 'Generate captions',
    description:
      'Requests captions from the speech of a COMPLETED video. Videos waiting to be transcoded come first; `video.captions.ready` or `video.captions.failed` then follows. Repeating the request while it is open changes nothing. We never replace captions that you uploaded.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    status: 202,
    params: generateParams,
    body: generateBody,
    optionalBody: true,
    response: transcription,
    errors: ['INVALID_REQUEST', 'VIDEO_NOT_FOUND', 'VIDEO_NOT_READY', 'CAPTIONS_CONFLICT', 'TOO_MANY_ATTEMPTS'],
    run: async (ctx, { params, body }) => ({ data: await generateCaptions(ctx, { ...params, ...body }) }),
  }),
})
