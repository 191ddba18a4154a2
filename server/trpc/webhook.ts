import { z } from 'zod'
import { getDelivery, listDeliveries } from '../modules/webhooks/delivery/list-deliveries.ts'
import { replayDelivery, replaySince, retryNow, sendTest } from '../modules/webhooks/delivery/replay.ts'
import { enableEndpoint } from '../modules/webhooks/endpoints/disable-endpoint.ts'
import { createEndpoint, editEndpoint, removeEndpoint, rotateSecret } from '../modules/webhooks/endpoints/edit-endpoints.ts'
import { getEvent, listEvents } from '../modules/webhooks/endpoints/event-log.ts'
import { getEndpoint, listEndpoints } from '../modules/webhooks/endpoints/list-endpoints.ts'
import {
  createEndpointInput,
  deliveriesInput,
  deliveryInput,
  editEndpointInput,
  endpointIdInput,
  eventIdInput,
  eventLogInput,
  replaySinceInput,
  sendTestInput,
} from '../modules/webhooks/endpoints/schema.ts'
import { watchWebhooks } from '../modules/webhooks/endpoints/stream.ts'
import { procedure, router } from './init.ts'

const enableInput = endpointIdInput.extend({ enabled: z.boolean() })

export const webhookRouter = router({
  list: procedure.query(({ ctx }) => listEndpoints(ctx.account)),
  get: procedure.input(endpointIdInput).query(({ ctx, input }) => getEndpoint(ctx.account, input)),
  create: procedure.input(createEndpointInput).mutation(({ ctx, input }) => createEndpoint(ctx.account, input)),
  edit: procedure.input(editEndpointInput).mutation(({ ctx, input }) => editEndpoint(ctx.account, input)),
  rotate: procedure.input(endpointIdInput).mutation(({ ctx, input }) => rotateSecret(ctx.account, input)),
  enable: procedure.input(enableInput).mutation(({ ctx, input }) => enableEndpoint(ctx.account, input)),
  remove: procedure.input(endpointIdInput).mutation(({ ctx, input }) => removeEndpoint(ctx.account, input)),
  test: procedure.input(sendTestInput).mutation(({ ctx, input }) => sendTest(ctx.account, input)),
  deliveries: procedure.input(deliveriesInput).query(({ ctx, input }) => listDeliveries(ctx.account, input)),
  delivery: procedure.input(deliveryInput).query(({ ctx, input }) => getDelivery(ctx.account, input)),
  replay: procedure.input(deliveryInput).mutation(({ ctx, input }) => replayDelivery(ctx.account, input)),
  retryNow: procedure.input(deliveryInput).mutation(({ ctx, input }) => retryNow(ctx.account, input)),
  replaySince: procedure.input(replaySinceInput).mutation(({ ctx, input }) => replaySince(ctx.account, input)),
  events: procedure.input(eventLogInput).query(({ ctx, input }) => listEvents(ctx.account, input)),
  event: procedure.input(eventIdInput).query(({ ctx, input }) => getEvent(ctx.account, input)),
  watch: procedure.subscription(({ ctx, signal }) => watchWebhooks(ctx.account, signal ?? new AbortController().signal)),
})
