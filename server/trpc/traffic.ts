import { keyIdInput } from '../modules/access/keys/schema.ts'
import { keyLastHour, keyUsage } from '../modules/analytics/key-usage.ts'
import { countRequests } from '../modules/analytics/requests/counters.ts'
import { explainRequest } from '../modules/analytics/requests/explain.ts'
import { listRequests } from '../modules/analytics/requests/list-requests.ts'
import { watchRequests } from '../modules/analytics/requests/request-log.ts'
import { countRequestsInput, keyUsageInput, listRequestsInput, requestIdInput, usageInput } from '../modules/analytics/schema.ts'
import { usage } from '../modules/analytics/usage.ts'
import { tokenIdInput } from '../modules/delivery/schema.ts'
import { endPlayback } from '../modules/delivery/sessions/ends.ts'
import { procedure, router } from './init.ts'

export const trafficRouter = router({
  usage: procedure.input(usageInput).query(({ ctx, input }) => usage(ctx.account, input)),
  key: procedure.input(keyUsageInput).query(({ ctx, input }) => keyUsage(ctx.account, input)),
  keyLastHour: procedure.input(keyIdInput).query(({ ctx, input }) => keyLastHour(ctx.account, input)),
  requests: procedure.input(listRequestsInput).query(({ ctx, input }) => listRequests(ctx.account, input)),
  requestCounts: procedure.input(countRequestsInput).query(({ ctx, input }) => countRequests(ctx.account, input)),
  explain: procedure.input(requestIdInput).query(({ ctx, input }) => explainRequest(ctx.account, input)),
  endPlayback: procedure.input(tokenIdInput).mutation(({ ctx, input }) => endPlayback(ctx.account, input)),
  watch: procedure.subscription(({ ctx, signal }) => watchRequests(ctx.account, signal ?? new AbortController().signal)),
})
