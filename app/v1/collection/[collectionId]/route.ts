import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { deleteCollection, getCollection, renameCollection } from '#server/modules/videos/collections/collections'
import { collection, collectionInput, collectionParams, deletedCollection } from '#server/modules/videos/collections/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getCollection',
    tag: 'Collections',
    summary: 'Get a collection',
    description: 'To list its videos, send `GET /v1/video?collection=…`.',
    additive: true,
    auth: 'key',
    scope: 'video:read',
    params: collectionParams,
    response: collection,
    etag: true,
    errors: ['COLLECTION_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: await getCollection(ctx, params) }),
  }),
  PATCH: endpoint({
    operationId: 'updateCollection',
    tag: 'Collections',
    summary: 'Rename a collection',
    description: 'Its ID and its videos stay the same.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: collectionParams,
    body: collectionInput,
    response: collection,
    errors: ['COLLECTION_NOT_FOUND', 'COLLECTION_NAME_IN_USE', 'TOO_MANY_ATTEMPTS'],
    run: async (ctx, { params, body }) => ({ data: await renameCollection(ctx, { ...params, ...body }) }),
  }),
  DELETE: endpoint({
    operationId: 'deleteCollection',
    tag: 'Collections',
    summary: 'Delete a collection',
    description: 'Its videos are not deleted.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: collectionParams,
    response: deletedCollection,
    errors: ['COLLECTION_NOT_FOUND'],
    async run(ctx, { params }) {
      await deleteCollection(ctx, params)
      return { data: { id: params.collectionId, deleted: true as const } }
    },
  }),
})
