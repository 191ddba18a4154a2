import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { createUploadHeaders } from '#server/modules/uploads/direct/direct-schema'
import { cancelReplacement, replaceSource } from '#server/modules/uploads/replace-source'
import { cancelledReplacement, replaceSourceInput, sourceUpload } from '#server/modules/uploads/source-schema'
import { ifMatchHeaders } from '#server/modules/videos/metadata-schema'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  PUT: endpoint({
    operationId: 'replaceSource',
    tag: 'Videos',
    summary: 'Replace the source',
    description:
      'Creates an upload, or with `url` an import, whose file becomes the source of the video. The video plays as before until all renditions of the new source are complete. Then it switches to them, and keeps its ID, title, description, metadata, collections, uploaded captions and analytics. A file that fails changes nothing and sends `upload.failed`. If you send two files, the last upload wins.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    status: 202,
    params: videoParams,
    headers: createUploadHeaders.extend(ifMatchHeaders.shape),
    body: replaceSourceInput,
    response: sourceUpload,
    errors: ['VIDEO_NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'PRECONDITION_FAILED', 'TOO_MANY_ATTEMPTS', 'STORAGE_FULL'],
    async run(ctx, { params, body, headers }) {
      const { upload, replayed } = await replaceSource(ctx, {
        ...params,
        ifMatch: headers['If-Match'],
        idempotencyKey: headers['Idempotency-Key'],
        input: body,
      })
      return { data: upload, headers: { Location: `/v1/upload/${upload.uploadId}`, ...(replayed && { 'Idempotent-Replayed': 'true' }) } }
    },
  }),
  DELETE: endpoint({
    operationId: 'cancelReplacement',
    tag: 'Videos',
    summary: 'Cancel the replacement of the source',
    description:
      'Cancels the replacement of the source: open uploads and imports, and a file that is being processed. Each sends `upload.failed` with the code `CANCELLED`. The video keeps its source. You can repeat the request: `cancelled` is false if there is nothing to cancel, for example because the new source is complete.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: videoParams,
    response: cancelledReplacement,
    errors: ['VIDEO_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: await cancelReplacement(ctx, params) }),
  }),
})
