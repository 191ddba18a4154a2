import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { expandedVideo, expandQuery } from '#server/modules/delivery/tokens/expanded-schema'
import { getExpandedVideo } from '#server/modules/delivery/tokens/expanded-video'
import { patchVideo } from '#server/modules/videos/edit-video'
import { getVideo } from '#server/modules/videos/get'
import { deletedVideo, ifMatchHeaders, patchVideoInput } from '#server/modules/videos/metadata-schema'
import { removeVideo, restorableUntil } from '#server/modules/videos/remove'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getVideo',
    ownTurns: true,
    tag: 'Videos',
    summary: 'Get a video',
    description: 'Returns one video. While it is processed, poll every 10 to 30 seconds until its status is COMPLETED or FAILED.',
    auth: 'key',
    scope: 'video:read',
    params: videoParams,
    query: expandQuery,
    response: expandedVideo,
    etag: true,
    errors: ['VIDEO_NOT_FOUND'],
    run: (ctx, { params, query: { expand } }) => (expand ? getExpandedVideo(ctx, { ...params, expand }) : getVideo(ctx, params)),
  }),
  PATCH: endpoint({
    operationId: 'updateVideo',
    tag: 'Videos',
    summary: 'Change a video',
    description:
      'Changes the values you send; the others stay. We merge `metadata` by name. With `If-Match`, we change the video only if it has not changed since you read it; its ETag also covers `metadata` and `externalId`.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: videoParams,
    headers: ifMatchHeaders,
    body: patchVideoInput,
    response: expandedVideo,
    etag: 'changed',
    errors: ['VIDEO_NOT_FOUND', 'EXTERNAL_ID_IN_USE', 'PRECONDITION_FAILED', 'TOO_MANY_ATTEMPTS'],
    run: (ctx, { params, headers, body }) => patchVideo(ctx, { ...params, ifMatch: headers['If-Match'], changes: body }),
  }),
  DELETE: endpoint({
    operationId: 'deleteVideo',
    tag: 'Videos',
    summary: 'Delete a video',
    description:
      'The video disappears from the API at once, and its tokens, playlists and content keys stop working. You can restore it for 7 days; then we remove its media. Within these 7 days, a repeated request returns the same response.',
    additive: true,
    auth: 'key',
    scope: 'video:write',
    params: videoParams,
    headers: ifMatchHeaders,
    response: deletedVideo,
    errors: ['VIDEO_NOT_FOUND', 'PRECONDITION_FAILED'],
    async run(ctx, { params, headers }) {
      const { deletedAt } = await removeVideo(ctx, { ...params, ifMatch: headers['If-Match'] })
      const until = restorableUntil(deletedAt)
      return {
        data: { id: params.videoId, deleted: true as const, deletedAt: deletedAt.toISOString(), restorableUntil: until.toISOString() },
      }
    },
  }),
})
