import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { event, triggerParams } from '#server/modules/webhooks/schema'
import { triggerSample } from '#server/modules/webhooks/trigger'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  POST: endpoint({
    operationId: 'createSampleEvent',
    tag: 'Events',
    summary: 'Fire a sample event',
    description:
      'For those who follow the events, as `npx -p @reelgate/sdk reelgate listen` does; registered endpoints are not sent it. Its data is made up.',
    additive: true,
    auth: 'key',
    scope: 'webhook:read',
    params: triggerParams,
    response: event,
    errors: ['INVALID_REQUEST'],
    run: async (ctx, { params }) => ({ data: await triggerSample(ctx, { type: params.eventType }) }),
  }),
})
