import { z } from 'zod'
import { createEndpoint } from '../webhook/create.ts'
import { listDeliveries } from '../webhook/deliveries.ts'
import { getDelivery } from '../webhook/delivery.ts'
import { editEndpoint } from '../webhook/edit.ts'
import { enableEndpoint } from '../webhook/enable.ts'
import { getEvent } from '../webhook/event-get.ts'
import { listEvents } from '../webhook/event-log.ts'
import { getEndpoint } from '../webhook/get.ts'
import { listEndpoints } from '../webhook/list.ts'
import { removeEndpoint } from '../webhook/remove.ts'
import { replayDelivery } from '../webhook/replay.ts'
import { replaySince } from '../webhook/replay-since.ts'
import { rotateSecret } from '../webhook/rotate.ts'
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
} from '../webhook/schema.ts'
import { sendTest } from '../webhook/send-test.ts'
import { watchWebhooks } from '../webhook/watch.ts'
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
  replaySince: procedure.input(replaySinceInput).mutation(({ ctx, input }) => replaySince(ctx.account, input)),
  events: procedure.input(eventLogInput).query(({ ctx, input }) => listEvents(ctx.account, input)),
  event: procedure.input(eventIdInput).query(({ ctx, input }) => getEvent(ctx.account, input)),
  watch: procedure.subscription(({ ctx, signal }) => watchWebhooks(ctx.account, signal ?? new AbortController().signal)),
})
