import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { processing } from '#server/modules/transcoding/tasks/processing-schema'
import { getVisibleProcessing } from '#server/modules/transcoding/tasks/read-processing'
import { videoParams } from '#server/modules/videos/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'getProcessing',
    tag: 'Videos',
    summary: 'Get processing state',
    description:
      'Returns the progress of a video until it is COMPLETED: its stage, its place in the queue, the time left, and the state of each part. The labels of workers are valid within one response.',
    additive: true,
    auth: 'key',
    scope: 'video:read',
    params: videoParams,
    response: processing,
    errors: ['VIDEO_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: await getVisibleProcessing(ctx, params) }),
  }),
})
