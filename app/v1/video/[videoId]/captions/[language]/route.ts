import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { putCaptions, removeCaptions } from '#server/modules/videos/captions/captions'
import { captions, captionsParams, captionsQuery, MAX_CAPTION_BYTES, removedCaptions } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  PUT: endpoint({
    operationId: 'putCaptions',
    tag: 'Videos',
    summary: 'Set captions',
    description: 'Stores captions in one language and replaces existing ones. Players offer them at once. We convert SRT to WebVTT.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: captionsParams,
    query: captionsQuery,
    file: {
      types: ['text/vtt', 'application/x-subrip', 'text/plain'],
      maxBytes: MAX_CAPTION_BYTES,
      description: 'A WebVTT or SRT file in UTF-8, with at most 2,000,000 characters.',
    },
    response: captions,
    errors: ['VIDEO_NOT_FOUND', 'TOO_MANY_ATTEMPTS', 'STORAGE_FULL'],
    run: async (ctx, { params, query: { label = '' }, file }) => ({
      data: { ...(await putCaptions(ctx, { ...params, label, text: file })), generated: false, edited: false },
    }),
  }),
  DELETE: endpoint({
    operationId: 'deleteCaptions',
    tag: 'Videos',
    summary: 'Delete captions',
    description: 'Removes the captions in one language. The dashboard’s editor keeps them as a version, until the video is deleted.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: captionsParams,
    response: removedCaptions,
    errors: ['INVALID_REQUEST', 'VIDEO_NOT_FOUND', 'CAPTIONS_NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
    async run(ctx, { params }) {
      await removeCaptions(ctx, params)
      return { data: { language: params.language, deleted: true as const } }
    },
  }),
})
