import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { addToCollection, removeFromCollection } from '#server/modules/videos/collections/collections'
import { member, memberParams, removedMember } from '#server/modules/videos/collections/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  PUT: endpoint({
    operationId: 'addCollectionVideo',
    tag: 'Collections',
    summary: 'Add a video to a collection',
    description: 'Adding a video again changes nothing. A video can be in 50 collections.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: memberParams,
    response: member,
    errors: ['VIDEO_NOT_FOUND', 'COLLECTION_NOT_FOUND', 'COLLECTION_LIMIT_REACHED', 'TOO_MANY_ATTEMPTS'],
    run: async (ctx, { params }) => ({ data: await addToCollection(ctx, params) }),
  }),
  DELETE: endpoint({
    operationId: 'removeCollectionVideo',
    tag: 'Collections',
    summary: 'Remove a video from a collection',
    description: 'The video is not deleted. Repeating the request returns the same response.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: memberParams,
    response: removedMember,
    errors: ['VIDEO_NOT_FOUND', 'COLLECTION_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: { ...(await removeFromCollection(ctx, params)), deleted: true as const } }),
  }),
})
