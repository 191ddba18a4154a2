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
      'Returns the events of the account after `cursor`, oldest first. `npx -p @reelgate/sdk reelgate listen` uses it during development. As in every list, `nextCursor` is null on the last page. `position` says how far you have read: send it as `cursor` to get later events. A request without a cursor returns no events and the current position. You miss no event, however many occur at once. Up to 20 requests of an account can wait in a server process; we refuse the next one with 429 and `Retry-After`.',
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
