import { keyIdInput } from '../key/schema.ts'
import { endPlayback } from '../playback/end.ts'
import { tokenIdInput } from '../playback/schema.ts'
import { explainRequest } from '../traffic/explain.ts'
import { keyLastHour } from '../traffic/key-last-hour.ts'
import { keyUsage } from '../traffic/key-usage.ts'
import { listRequests } from '../traffic/list.ts'
import { keyUsageInput, listRequestsInput, requestIdInput, usageInput } from '../traffic/schema.ts'
import { usage } from '../traffic/usage.ts'
import { watchRequests } from '../traffic/watch.ts'
import { procedure, router } from './init.ts'

export const trafficRouter = router({
  usage: procedure.input(usageInput).query(({ ctx, input }) => usage(ctx.account, input)),
  key: procedure.input(keyUsageInput).query(({ ctx, input }) => keyUsage(ctx.account, input)),
  keyLastHour: procedure.input(keyIdInput).query(({ ctx, input }) => keyLastHour(ctx.account, input)),
  requests: procedure.input(listRequestsInput).query(({ ctx, input }) => listRequests(ctx.account, input)),
  explain: procedure.input(requestIdInput).query(({ ctx, input }) => explainRequest(ctx.account, input)),
  endPlayback: procedure.input(tokenIdInput).mutation(({ ctx, input }) => endPlayback(ctx.account, input)),
  watch: procedure.subscription(({ ctx, signal }) => watchRequests(ctx.account, signal ?? new AbortController().signal)),
})
