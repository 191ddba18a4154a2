import { z } from 'zod'
import { endpoint } from '#server/http/endpoint'
import { route } from '#server/http/route'
import { listenSecret } from '#server/modules/webhooks/endpoints/edit-endpoints'
import { event, streamExtra, streamQuery } from '#server/modules/webhooks/endpoints/schema'
import { streamEvents } from '#server/modules/webhooks/endpoints/stream'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: endpoint({
    operationId: 'listEvents',
    ownTurns: true,
    tag: 'Events',
    summary: 'List events',
    description:
      'Events of the account after `cursor`, oldest first. `npx -p @reelgate/sdk reelgate listen` uses it during development. Pages end as in every list: `nextCursor` is null on the last one. `position` is where the stream was read to: send it as `cursor` to get later events. A request without a cursor returns no events and the present position. No event is skipped, regardless of how many occur at once. At most 20 requests of an account wait in a server process; the next one is refused with 429 and `Retry-After`.',
    additive: true,
    auth: 'key',
    scope: 'webhook:read',
    params: z.object({}),
    query: streamQuery,
    response: z.array(event),
    extra: streamExtra,
    errors: ['TOO_MANY_ATTEMPTS'],
    unlogged: true,
    async run(ctx, { query }) {
      // The query is parsed only when the address has one: the schema supplies the defaults here.
      const input = streamQuery.parse(query)
      const { events, ...pagination } = await streamEvents(ctx, input)
      return { data: events, extra: input.cursor === undefined ? { pagination, listenSecret: listenSecret(ctx) } : { pagination } }
    },
  }),
})
