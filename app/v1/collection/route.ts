import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { createCollection, listCollections } from '#server/modules/videos/collections/collections'
import { collection, collectionInput, collectionsExtra, collectionsQuery } from '#server/modules/videos/collections/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listCollections',
    tag: 'Collections',
    summary: 'List collections',
    description: 'Returns the collections of the account, sorted by name. To list the videos of one, send `GET /v1/video?collection=…`.',
    additive: true,
    auth: 'key',
    scope: 'video:read',
    params: z.object({}),
    query: collectionsQuery,
    response: z.array(collection),
    extra: collectionsExtra,
    etag: true,
    errors: [],
    async run(ctx, { query }) {
      const { collections, pagination } = await listCollections(ctx, query)
      return { data: collections, extra: { pagination } }
    },
  }),
  POST: endpoint({
    operationId: 'createCollection',
    tag: 'Collections',
    summary: 'Create a collection',
    description: 'An account can have 1,000 collections, each with its own name.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    status: 201,
    params: z.object({}),
    body: collectionInput,
    response: collection,
    errors: ['COLLECTION_NAME_IN_USE', 'COLLECTION_LIMIT_REACHED', 'TOO_MANY_ATTEMPTS'],
    async run(ctx, { body }) {
      const data = await createCollection(ctx, body)
      return { data, headers: { Location: `/v1/collection/${data.id}` } }
    },
  }),
})
