import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { createDirectUpload } from '#server/modules/uploads/direct/create-direct'
import {
  createdUpload,
  createUploadHeaders,
  createUploadInput,
  upload,
  uploadsExtra,
  uploadsQuery,
} from '#server/modules/uploads/direct/direct-schema'
import { listDirectUploads } from '#server/modules/uploads/direct/list-direct'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listUploads',
    tag: 'Uploads',
    summary: 'List uploads',
    description:
      'Returns the uploads and imports that API keys of the account created, newest first, until 30 days after they end. `?status=waiting,uploading` returns the open ones, which count as unfinished uploads of the account. Uploads from the dashboard are not included.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: z.object({}),
    query: uploadsQuery,
    response: z.array(upload),
    extra: uploadsExtra,
    errors: [],
    async run(ctx, { query }) {
      const { uploads, pagination } = await listDirectUploads(ctx, query)
      return { data: uploads, extra: { pagination } }
    },
  }),
  POST: endpoint({
    operationId: 'createUpload',
    ownTurns: true,
    tag: 'Uploads',
    summary: 'Create an upload',
    description:
      'Returns a URL that needs no API key. Give it to a browser, which sends the file with any tus client from a page of `allowedOrigin`, or send the file with one `PUT`. We create the video once the last byte has arrived.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    status: 201,
    params: z.object({}),
    headers: createUploadHeaders,
    body: createUploadInput,
    response: createdUpload,
    errors: ['EXTERNAL_ID_IN_USE', 'IDEMPOTENCY_KEY_REUSED', 'TOO_MANY_ATTEMPTS', 'STORAGE_FULL'],
    async run(ctx, { body, headers }) {
      const { upload, replayed } = await createDirectUpload(ctx, body, headers['Idempotency-Key'])
      return { data: upload, headers: { Location: `/v1/upload/${upload.uploadId}`, ...(replayed && { 'Idempotent-Replayed': 'true' }) } }
    },
  }),
})
