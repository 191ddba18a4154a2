import { supportAccount } from '../support/account.ts'
import { supportLimits } from '../support/account-limits.ts'
import { adjustBalance } from '../support/adjust-balance.ts'
import { answerApproval } from '../support/answer-approval.ts'
import { answerQuotaRequest } from '../support/answer-quota.ts'
import { waitingApprovals } from '../support/approvals.ts'
import { changeTier } from '../support/change-tier.ts'
import { supportDeliveries } from '../support/deliveries.ts'
import { supportDelivery } from '../support/delivery.ts'
import { findAccounts } from '../support/find.ts'
import { fleet } from '../support/fleet.ts'
import { supportKeys } from '../support/keys.ts'
import { actOnPerson } from '../support/person.ts'
import { openQuotaRequests } from '../support/quota-requests.ts'
import { recentAccounts } from '../support/recent.ts'
import { supportRequest } from '../support/request.ts'
import { supportRequests } from '../support/requests.ts'
import {
  adjustBalanceInput,
  answerApprovalInput,
  changeTierInput,
  findInput,
  fleetInput,
  personOfAccountInput,
  setLimitInput,
  setQuotaInput,
  supportAccountInput,
  supportAnswerInput,
  supportDeliveriesInput,
  supportDeliveryInput,
  supportRequestInput,
  supportRequestsInput,
  supportUsageInput,
  supportVideoInput,
  supportVideosInput,
  suspendInput,
  takeDownInput,
} from '../support/schema.ts'
import { setAccountLimit } from '../support/set-limit.ts'
import { setQuota } from '../support/set-quota.ts'
import { requireStaff } from '../support/staff.ts'
import { setSuspended } from '../support/suspend.ts'
import { setTakenDown } from '../support/take-down.ts'
import { supportUsage } from '../support/usage.ts'
import { supportVideo } from '../support/video.ts'
import { supportVideos } from '../support/videos.ts'
import { supportWallet } from '../support/wallet.ts'
import { supportWebhooks } from '../support/webhooks.ts'
import { openProcedure, router, withSecondFactor } from './init.ts'

/** For support staff; to everybody else there is no such procedure, whatever they send it. */
const staffProcedure = openProcedure
  .use(async ({ ctx, next }) => next({ ctx: { staff: await requireStaff(ctx.session, ctx.requestId) } }))
  // After the role, so that a member who is no staff learns of nothing here.
  .use(withSecondFactor)

export const supportRouter = router({
  // A pasted key must not stand in an address, so what is looked for travels in the body.
  find: staffProcedure.input(findInput).mutation(({ ctx, input }) => findAccounts(ctx.staff, input)),
  recent: staffProcedure.query(({ ctx }) => recentAccounts(ctx.staff)),
  fleet: staffProcedure.input(fleetInput).query(({ ctx, input }) => fleet(ctx.staff, input)),
  quotaRequests: staffProcedure.query(({ ctx }) => openQuotaRequests(ctx.staff)),
  answerQuota: staffProcedure.input(supportAnswerInput).mutation(({ ctx, input }) => answerQuotaRequest(ctx.staff, input)),
  approvals: staffProcedure.query(({ ctx }) => waitingApprovals(ctx.staff)),
  answerApproval: staffProcedure.input(answerApprovalInput).mutation(({ ctx, input }) => answerApproval(ctx.staff, input)),
  account: staffProcedure.input(supportAccountInput).query(({ ctx, input }) => supportAccount(ctx.staff, input)),
  usage: staffProcedure.input(supportUsageInput).query(({ ctx, input }) => supportUsage(ctx.staff, input)),
  keys: staffProcedure.input(supportAccountInput).query(({ ctx, input }) => supportKeys(ctx.staff, input)),
  videos: staffProcedure.input(supportVideosInput).query(({ ctx, input }) => supportVideos(ctx.staff, input)),
  video: staffProcedure.input(supportVideoInput).query(({ ctx, input }) => supportVideo(ctx.staff, input)),
  requests: staffProcedure.input(supportRequestsInput).query(({ ctx, input }) => supportRequests(ctx.staff, input)),
  request: staffProcedure.input(supportRequestInput).query(({ ctx, input }) => supportRequest(ctx.staff, input)),
  webhooks: staffProcedure.input(supportAccountInput).query(({ ctx, input }) => supportWebhooks(ctx.staff, input)),
  deliveries: staffProcedure.input(supportDeliveriesInput).query(({ ctx, input }) => supportDeliveries(ctx.staff, input)),
  delivery: staffProcedure.input(supportDeliveryInput).query(({ ctx, input }) => supportDelivery(ctx.staff, input)),
  wallet: staffProcedure.input(supportAccountInput).query(({ ctx, input }) => supportWallet(ctx.staff, input)),
  adjustBalance: staffProcedure.input(adjustBalanceInput).mutation(({ ctx, input }) => adjustBalance(ctx.staff, input)),
  changeTier: staffProcedure.input(changeTierInput).mutation(({ ctx, input }) => changeTier(ctx.staff, input)),
  limits: staffProcedure.input(supportAccountInput).query(({ ctx, input }) => supportLimits(ctx.staff, input)),
  setLimit: staffProcedure.input(setLimitInput).mutation(({ ctx, input }) => setAccountLimit(ctx.staff, input)),
  setSuspended: staffProcedure.input(suspendInput).mutation(({ ctx, input }) => setSuspended(ctx.staff, input)),
  person: staffProcedure.input(personOfAccountInput).mutation(({ ctx, input }) => actOnPerson(ctx.staff, input)),
  setTakenDown: staffProcedure.input(takeDownInput).mutation(({ ctx, input }) => setTakenDown(ctx.staff, input)),
  setQuota: staffProcedure.input(setQuotaInput).mutation(({ ctx, input }) => setQuota(ctx.staff, input)),
})
