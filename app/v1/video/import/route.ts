import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { createUploadHeaders, upload } from '#server/modules/uploads/direct/direct-schema'
import { importVideoInput } from '#server/modules/uploads/import/import-schema'
import { importVideo } from '#server/modules/uploads/import/import-video'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  POST: endpoint({
    operationId: 'importVideo',
    tag: 'Uploads',
    summary: 'Import a video from a URL',
    description:
      'We download the file within 24 hours and resume after an interruption, if the server supports ranges. Read the state with `GET /v1/upload/{uploadId}`, and cancel with `DELETE`. We create the video once the last byte has arrived.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    status: 202,
    params: z.object({}),
    headers: createUploadHeaders,
    body: importVideoInput,
    response: upload,
    errors: ['EXTERNAL_ID_IN_USE', 'IDEMPOTENCY_KEY_REUSED', 'TOO_MANY_ATTEMPTS', 'STORAGE_FULL'],
    async run(ctx, { body, headers }) {
      const { upload, replayed } = await importVideo(ctx, body, headers['Idempotency-Key'])
      return { data: upload, headers: { Location: `/v1/upload/${upload.uploadId}`, ...(replayed && { 'Idempotent-Replayed': 'true' }) } }
    },
  }),
})
