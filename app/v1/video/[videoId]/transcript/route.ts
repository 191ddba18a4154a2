import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { readTranscript } from '#server/modules/transcoding/transcripts/read-transcript'
import { transcript, transcriptParams, transcriptQuery } from '#server/modules/transcoding/transcripts/transcript-schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getTranscript',
    tag: 'Videos',
    summary: 'Get the transcript',
    description:
      'Returns what is said in a video, from its captions: with the times of cues and words, or as plain text, WebVTT or SRT. Generated and uploaded captions both work.',
    additive: true,
    auth: 'key',
    scope: 'video:read',
    params: transcriptParams,
    query: transcriptQuery,
    response: transcript,
    etag: true,
    errors: ['INVALID_REQUEST', 'VIDEO_NOT_FOUND', 'CAPTIONS_NOT_FOUND'],
    run: (ctx, { params, query }) => readTranscript(ctx, { ...params, ...query }),
  }),
})
