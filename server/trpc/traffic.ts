import { countRequests } from '../modules/analytics/count-requests.ts'
import { explainRequest } from '../modules/analytics/explain.ts'
import { keyLastHour } from '../modules/analytics/key-last-hour.ts'
import { keyUsage } from '../modules/analytics/key-usage.ts'
import { listRequests } from '../modules/analytics/list-requests.ts'
import { countRequestsInput, keyUsageInput, listRequestsInput, requestIdInput, usageInput } from '../modules/analytics/schema.ts'
import { usage } from '../modules/analytics/usage.ts'
import { watchRequests } from '../modules/analytics/watch.ts'
import { keyIdInput } from '../modules/api-keys/schema.ts'
import { endPlayback } from '../modules/playback/end.ts'
import { tokenIdInput } from '../modules/playback/schema.ts'
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
