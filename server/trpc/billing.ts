import { listQuotaRequests, requestQuota } from '../modules/access/quotas/quota-requests.ts'
import { keyRequestsInput, requestQuotaInput } from '../modules/access/quotas/schema.ts'
import { listLedger } from '../modules/billing/ledger.ts'
import {
  ledgerInput,
  setKeyCapInput,
  setLimitsInput,
  setTierInput,
  simulateInput,
  spendInput,
  statementInput,
  topUpInput,
} from '../modules/billing/schema.ts'
import { setKeyCap, setLimits, setTier } from '../modules/billing/set-limits.ts'
import { simulate } from '../modules/billing/simulate.ts'
import { spend } from '../modules/billing/spend.ts'
import { billedMonths } from '../modules/billing/statement.ts'
import { beginTopUp } from '../modules/billing/top-up.ts'
import { billingOverview, monthStatement } from '../modules/dashboard/billing-overview.ts'
import { procedure, router } from './init.ts'

export const billingRouter = router({
  overview: procedure.query(({ ctx }) => billingOverview(ctx.account)),
  spend: procedure.input(spendInput).query(({ ctx, input }) => spend(ctx.account, input)),
  ledger: procedure.input(ledgerInput).query(({ ctx, input }) => listLedger(ctx.account, input)),
  months: procedure.query(({ ctx }) => billedMonths(ctx.account)),
  statement: procedure.input(statementInput).query(({ ctx, input }) => monthStatement(ctx.account, input)),
  simulate: procedure.input(simulateInput).query(({ ctx, input }) => simulate(ctx.account, input)),
  setTier: procedure.input(setTierInput).mutation(({ ctx, input }) => setTier(ctx.account, input)),
  setLimits: procedure.input(setLimitsInput).mutation(({ ctx, input }) => setLimits(ctx.account, input)),
  setKeyCap: procedure.input(setKeyCapInput).mutation(({ ctx, input }) => setKeyCap(ctx.account, input)),
  topUp: procedure.input(topUpInput).mutation(({ ctx, input }) => beginTopUp(ctx.account, input)),
  quotaRequests: procedure.input(keyRequestsInput).query(({ ctx, input }) => listQuotaRequests(ctx.account, input)),
  requestQuota: procedure.input(requestQuotaInput).mutation(({ ctx, input }) => requestQuota(ctx.account, input)),
})
