import { receiptIdInput } from '../modules/audit/receipts/schema.ts'
import { supportAccount } from '../modules/backoffice/support/account.ts'
import { listAccountActivity } from '../modules/backoffice/support/account-activity.ts'
import { setAccountLimit, supportLimits } from '../modules/backoffice/support/account-limits.ts'
import {
  recentAccounts,
  supportAudit,
  supportAuditChoices,
  supportDeliveries,
  supportDelivery,
  supportFleet,
  supportKeys,
  supportRequest,
  supportRequests,
  supportUsage,
  supportWebhooks,
} from '../modules/backoffice/support/account-pages.ts'
import { openQuotaRequests, setQuota } from '../modules/backoffice/support/account-quota.ts'
import { pendingCounts, waitingApprovals } from '../modules/backoffice/support/approvals.ts'
import { backupOverview, backupReceipt } from '../modules/backoffice/support/backups.ts'
import {
  changePerson,
  changeTier,
  resolveQuotaRequestAsStaff,
  setKeyDisabled,
  setSuspended,
  setTakenDown,
} from '../modules/backoffice/support/change-account.ts'
import { findAccounts } from '../modules/backoffice/support/find.ts'
import { addNote, editNote, listNotes, removeNote } from '../modules/backoffice/support/notes.ts'
import { beginOwnerView, endOwnerView } from '../modules/backoffice/support/owner-view.ts'
import { resolveApproval } from '../modules/backoffice/support/resolve-approval.ts'
import {
  accountActivityInput,
  addNoteInput,
  adjustBalanceInput,
  beginOwnerViewInput,
  changeTierInput,
  editNoteInput,
  findInput,
  keyDisabledInput,
  noteIdInput,
  notesInput,
  personOfAccountInput,
  resolveApprovalInput,
  setLimitInput,
  setQuotaInput,
  supportAccountInput,
  supportAuditInput,
  supportDeliveriesInput,
  supportDeliveryInput,
  supportRequestInput,
  supportRequestsInput,
  supportResolveQuotaRequestInput,
  supportUsageInput,
  supportVideoInput,
  supportVideosInput,
  suspendInput,
  takeDownInput,
  timelineInput,
} from '../modules/backoffice/support/schema.ts'
import { requireStaff } from '../modules/backoffice/support/staff.ts'
import { supportTimeline } from '../modules/backoffice/support/timeline.ts'
import { supportVideo, supportVideos } from '../modules/backoffice/support/videos.ts'
import { adjustBalance, supportWallet } from '../modules/backoffice/support/wallet.ts'
import { openProcedure, router, withSecondFactor } from './init.ts'

/** For support staff. For every other caller the procedure does not exist, whatever the input. */
const staffProcedure = openProcedure
  .use(async ({ ctx, next }) => next({ ctx: { staff: await requireStaff(ctx.ownSession ?? ctx.session, ctx.requestId) } }))
  // After the role check, so that a member who is not staff learns nothing here.
  .use(withSecondFactor)

export const supportRouter = router({
  // A pasted key must not appear in a URL, so the search text is sent in the body.
  find: staffProcedure.input(findInput).mutation(({ ctx, input }) => findAccounts(ctx.staff, input)),
  pending: staffProcedure.query(({ ctx }) => pendingCounts(ctx.staff)),
  recent: staffProcedure.query(({ ctx }) => recentAccounts(ctx.staff)),
  accounts: staffProcedure.input(accountActivityInput).query(({ ctx, input }) => listAccountActivity(ctx.staff, input)),
  quotaRequests: staffProcedure.query(({ ctx }) => openQuotaRequests(ctx.staff)),
  resolveQuotaRequest: staffProcedure
    .input(supportResolveQuotaRequestInput)
    .mutation(({ ctx, input }) => resolveQuotaRequestAsStaff(ctx.staff, input)),
  approvals: staffProcedure.query(({ ctx }) => waitingApprovals(ctx.staff)),
  resolveApproval: staffProcedure.input(resolveApprovalInput).mutation(({ ctx, input }) => resolveApproval(ctx.staff, input)),
  backups: staffProcedure.query(({ ctx }) => backupOverview(ctx.staff)),
  fleet: staffProcedure.query(({ ctx }) => supportFleet(ctx.staff)),
  backupReceipt: staffProcedure.input(receiptIdInput).query(({ ctx, input }) => backupReceipt(ctx.staff, input)),
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
  timeline: staffProcedure.input(timelineInput).query(({ ctx, input }) => supportTimeline(ctx.staff, input)),
  audit: staffProcedure.input(supportAuditInput).query(({ ctx, input }) => supportAudit(ctx.staff, input)),
  auditChoices: staffProcedure.input(supportAccountInput).query(({ ctx, input }) => supportAuditChoices(ctx.staff, input)),
  notes: staffProcedure.input(notesInput).query(({ ctx, input }) => listNotes(ctx.staff, input)),
  addNote: staffProcedure.input(addNoteInput).mutation(({ ctx, input }) => addNote(ctx.staff, input)),
  editNote: staffProcedure.input(editNoteInput).mutation(({ ctx, input }) => editNote(ctx.staff, input)),
  removeNote: staffProcedure.input(noteIdInput).mutation(({ ctx, input }) => removeNote(ctx.staff, input)),
  beginOwnerView: staffProcedure
    .input(beginOwnerViewInput)
    .mutation(({ ctx, input }) => beginOwnerView(ctx.staff, ctx.session?.sessionId, input)),
  endOwnerView: staffProcedure.mutation(({ ctx }) => endOwnerView(ctx.session?.sessionId)),
  setSuspended: staffProcedure.input(suspendInput).mutation(({ ctx, input }) => setSuspended(ctx.staff, input)),
  person: staffProcedure.input(personOfAccountInput).mutation(({ ctx, input }) => changePerson(ctx.staff, input)),
  setTakenDown: staffProcedure.input(takeDownInput).mutation(({ ctx, input }) => setTakenDown(ctx.staff, input)),
  setKeyDisabled: staffProcedure.input(keyDisabledInput).mutation(({ ctx, input }) => setKeyDisabled(ctx.staff, input)),
  setQuota: staffProcedure.input(setQuotaInput).mutation(({ ctx, input }) => setQuota(ctx.staff, input)),
})
