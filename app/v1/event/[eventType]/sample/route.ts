import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { triggerSample } from '#server/modules/webhooks/endpoints/event-log'
import { event, triggerParams } from '#server/modules/webhooks/endpoints/schema'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  POST: endpoint({
    operationId: 'createSampleEvent',
    tag: 'Events',
    summary: 'Create a sample event',
    description:
      'Creates an event with sample data. Readers of the event stream receive it, such as `npx -p @reelgate/sdk reelgate listen`; webhook endpoints do not.',
    additive: true,
    auth: 'key',
    scope: 'webhook:read',
    params: triggerParams,
    response: event,
    errors: ['INVALID_REQUEST', 'TOO_MANY_ATTEMPTS'],
    run: async (ctx, { params }) => ({ data: await triggerSample(ctx, { type: params.eventType }) }),
  }),
})
