import { explainRequest } from '../traffic/explain.ts'
import { keyUsage } from '../traffic/key-usage.ts'
import { listRequests } from '../traffic/list.ts'
import { keyUsageInput, listRequestsInput, requestIdInput, usageInput } from '../traffic/schema.ts'
import { usage } from '../traffic/usage.ts'
import { watchRequests } from '../traffic/watch.ts'
import { procedure, router } from './init.ts'

export const trafficRouter = router({
  usage: procedure.input(usageInput).query(({ ctx, input }) => usage(ctx.account, input)),
  key: procedure.input(keyUsageInput).query(({ ctx, input }) => keyUsage(ctx.account, input)),
  requests: procedure.input(listRequestsInput).query(({ ctx, input }) => listRequests(ctx.account, input)),
  explain: procedure.input(requestIdInput).query(({ ctx, input }) => explainRequest(ctx.account, input)),
  watch: procedure.subscription(({ ctx, signal }) => watchRequests(ctx.account, signal ?? new AbortController().signal)),
})
