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
      'What happens to a video until it is COMPLETED: its stage, its place in the queue, the time left, and the parts that are encoded. Workers have labels that are valid within one response.',
    additive: true,
    auth: 'key',
    scope: 'video:read',
    params: videoParams,
    response: processing,
    errors: ['VIDEO_NOT_FOUND'],
    run: async (ctx, { params }) => ({ data: await getVisibleProcessing(ctx, params) }),
  }),
})
