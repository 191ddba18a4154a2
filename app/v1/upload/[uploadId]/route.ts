import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { cancelDirectUpload } from '#server/modules/uploads/direct/cancel-direct'
import { upload, uploadParams } from '#server/modules/uploads/direct/direct-schema'
import { getDirectUpload } from '#server/modules/uploads/direct/list-direct'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getUpload',
    tag: 'Uploads',
    summary: 'Get an upload',
    description: 'Returns the state of an upload, until 30 days after it ends.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: uploadParams,
    response: upload,
    errors: ['UPLOAD_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: await getDirectUpload(ctx, params) }),
  }),
  DELETE: endpoint({
    operationId: 'cancelUpload',
    tag: 'Uploads',
    summary: 'Cancel an upload',
    description: 'Removes what has arrived, and the URL stops working. An upload that has failed or expired stays as it is.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: uploadParams,
    response: upload,
    errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_CONFLICT'],
    run: async (ctx, { params }) => ({ data: await cancelDirectUpload(ctx, params) }),
  }),
})
